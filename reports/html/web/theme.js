// Chooses light or dark before first paint: the reader's own choice, or the system's.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try {
      return localStorage.getItem("coalescope-theme");
    } catch {
      return null; // a page opened from a file may have no storage
    }
  };
  const apply = (theme) => {
    root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) button.textContent = theme === "dark" ? "Light theme" : "Dark theme";
  };
  const chosen = () => remembered() ?? (system.matches ? "dark" : "light");
  apply(chosen());
  system.addEventListener("change", () => apply(chosen()));
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button.hidden = false;
    apply(chosen());
    button.addEventListener("click", () => {
      const theme = root.dataset.theme === "dark" ? "light" : "dark";
      apply(theme);
      try {
        localStorage.setItem("coalescope-theme", theme);
      } catch {
        // then the choice lasts as long as the page is open
      }
    });
  });
})();
