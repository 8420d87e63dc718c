
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  tell();
  document.addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const sites = [...document.querySelectorAll("mark[id]")];
    if (!sites.length) return;
    const at = sites.indexOf(document.activeElement);
    const next = at < 0 && step < 0 ? sites.length - 1 : (at + step + sites.length) % sites.length;
    sites[next].focus();
    sites[next].scrollIntoView({ block: "center" });
  });
})();
