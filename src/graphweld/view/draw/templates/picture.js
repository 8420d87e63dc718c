(() => {
  // As dot_text in dot.py: the pieces put together, each box open or closed.
  const dotText = (scene, closed) => {
    const shown = new Map();
    const lines = [scene.head];
    const open = (item) => {
      if (!item.items || closed.has(item.id)) {
        lines.push(item.closed);
        for (const id of item.ids) shown.set(id, [item.id, ""]);
        return;
      }
      lines.push(item.open);
      item.items.forEach(open);
      lines.push(item.ranks);
      for (const name of item.names) shown.set(name, [shown.get(item.first)[0], item.box]);
      lines.push("}");
    };
    scene.items.forEach(open);
    const drawn = new Set();
    for (const [source, target, style] of scene.edges) {
      const [tail, tailBox] = shown.get(source);
      const [head, headBox] = shown.get(target);
      if (tail === head) continue;
      const ends = (tailBox && `,ltail="${tailBox}"`) + (headBox && `,lhead="${headBox}"`);
      drawn.add(`${tail} -> ${head} [${style}${ends}];`);
    }
    return [...lines, ...drawn, scene.foot, "}"].join("\n");
  };

  const boxes = function* (items) {
    for (const item of items) {
      if (!item.items) continue;
      if (item.closed) yield item.id;
      yield* boxes(item.items);
    }
  };

  const show = (graphviz, figure) => {
    const { scene, closed: first, title } = JSON.parse(figure.querySelector("script").textContent);
    const canvas = figure.querySelector(".canvas");
    const all = new Set(boxes(scene.items));
    let closed = new Set(first);
    let scale = 0;
    const size = (svg) => {
      const wide = svg.viewBox.baseVal.width * (4 / 3);
      if (!scale) scale = Math.max(0.5, Math.min(1, (canvas.clientWidth - 20) / wide));
      svg.setAttribute("width", wide * scale);
      svg.setAttribute("height", svg.viewBox.baseVal.height * (4 / 3) * scale);
    };
    const draw = (focus) => {
      const text = graphviz.layout(dotText(scene, closed), "svg", "dot");
      const svg = new DOMParser().parseFromString(text.slice(text.indexOf("<svg")), "image/svg+xml").documentElement;
      svg.setAttribute("class", "graphweld");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", title);
      for (const text of svg.querySelectorAll(`text[fill="${scene.faint}"]`)) text.setAttribute("class", "faint");
      size(svg);
      for (const id of all) {
        const group = svg.getElementById(id);
        if (!group) continue;
        group.setAttribute("role", "button");
        group.setAttribute("tabindex", "0");
        group.setAttribute("aria-expanded", String(!closed.has(id)));
        const turn = () => {
          if (!closed.delete(id)) closed.add(id);
          draw(id);
        };
        group.addEventListener("click", turn);
        group.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          turn();
        });
      }
      canvas.replaceChildren(svg);
      if (focus) svg.getElementById(focus)?.focus();
    };
    const deeds = {
      open: () => (closed = new Set()),
      close: () => (closed = new Set(all)),
      smaller: () => (scale /= 1.25),
      larger: () => (scale *= 1.25),
    };
    figure.querySelector(".tools").addEventListener("click", (event) => {
      const deed = event.target.dataset.do;
      if (!deed) return;
      deeds[deed]();
      draw();
    });
    draw();
  };

  // A picture is laid out when a reader comes near it: a report may hold many.
  const figures = document.querySelectorAll(".picture");
  const tell = (figure, error) => {
    figure.querySelector(".canvas").textContent = `The picture could not be drawn: ${error.message}`;
  };
  const near = (figure, then) => {
    if (!globalThis.IntersectionObserver) return then();
    const observer = new IntersectionObserver((seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      then();
    }, { rootMargin: "600px" });
    observer.observe(figure);
  };
  Graphviz.load().then(
    (graphviz) => {
      for (const figure of figures) {
        near(figure, () => {
          try {
            show(graphviz, figure);
          } catch (error) {
            tell(figure, error);
          }
        });
      }
    },
    (error) => figures.forEach((figure) => tell(figure, error)),
  );
})();
