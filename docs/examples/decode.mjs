// Runs decoder.onnx of docs/deploy.md in JavaScript:  npm install onnxruntime-node;  node decode.mjs decoder.onnx
import * as ort from "onnxruntime-node";

const session = await ort.InferenceSession.create(process.argv[2]);
const starts = [[1n, 0], [7n, 1]]; // a first token, and what the state is filled with
for (const [token, fill] of starts) {
  const start = new ort.Tensor("int64", BigInt64Array.of(token), [1]);
  const state = new ort.Tensor("float32", new Float32Array(16).fill(fill), [1, 16]);
  const results = await session.run({ start, state });
  const [tokens] = session.outputNames.map((name) => results[name]);
  console.log(Array.from(tokens.data, Number).join(" "));
}
