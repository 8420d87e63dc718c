// Runs a package that `gw.package` wrote, without Python. Built and run by tests/unit/targets/test_package.py.
//
//   run_package solver.pt2
//
// The solver halves or steps until its values are below a tolerance. It takes a matrix and the tolerance, and gives the
// matrix and the number of steps: how many is decided by the data, in the loop that the package holds.

#include <iostream>
#include <vector>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/torch.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: run_package PACKAGE.pt2\n";
    return 2;
  }
  c10::InferenceMode mode;
  torch::inductor::AOTIModelPackageLoader loader(argv[1]);
  for (const double tolerance : {10.0, 0.5, 0.01}) {
    const std::vector<torch::Tensor> inputs = {torch::ones({2, 4}), torch::tensor(tolerance, torch::kFloat)};
    const std::vector<torch::Tensor> outputs = loader.run(inputs);
    std::cout << tolerance << ' ' << outputs[1].item<int64_t>() << ' ' << outputs[0].sum().item<float>() << '\n';
  }
}
