// The keyboard: `/` searches, `g` and a letter open a page, `j` and `k` move through rows, `?` shows all of this.
// And the choice of light or dark, which is kept in a cookie so that the first paint is right.
(() => {
  const keep = (name, value) => {
    document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
  };
  const theme = () => {
    const dark = !document.body.classList.contains("body--dark");
    keep("gm_theme", dark ? "dark" : "light");
    Quasar.Dark.set(dark);
  };
  const help = () => {
    const dialog = document.getElementById("help");
    dialog.open ? dialog.close() : dialog.showModal();
  };
  // Scroll to an element and open what it is folded into. False if it is not on this page.
  const reveal = (id) => {
    const found = document.getElementById(id);
    if (!found) return false;
    for (let at = found.parentElement; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    document.querySelectorAll(".gm-step.target").forEach((one) => one.classList.remove("target"));
    found.classList.add("target");
    const folded = found.classList.contains("failed") && found.querySelector("details:not([open]) > summary");
    if (folded) folded.click(); // its output is what somebody comes for
    found.scrollIntoView({ block: folded ? "start" : "center" });
    const isNear = found.getBoundingClientRect().bottom + scrollY < innerHeight; // the title would lie under the top bar
    if (isNear) scrollTo(0, 0);
    (found.querySelector("summary") || found).focus({ preventScroll: true });
    return true;
  };
  // Scroll the source to its highlighted line; with `isLine`, also the page, if the line is not in view.
  const showLine = (isLine) => setTimeout(() => {
    const box = document.querySelector(".gm-source");
    const lit = box?.querySelector(".hll");
    if (!lit) return;
    box.scrollTop = Math.max(0, lit.offsetTop - 40);
    const { top, bottom } = lit.getBoundingClientRect();
    if (isLine && (top < 60 || bottom > innerHeight)) lit.scrollIntoView({ block: "center" });
    box.scrollLeft = 0;
  }, 60);
  const leave = () => fetch("/logout", { method: "POST" }).finally(() => location.assign("/login"));
  window.graphmem = { ...window.graphmem, keep, theme, help, leave, reveal, showLine };

  let afterG = 0;
  const rows = () => [...document.querySelectorAll(".gm-row")].filter((row) => row.offsetParent);
  const move = (step) => {
    const all = rows();
    if (!all.length) return;
    const at = all.indexOf(document.activeElement.closest(".gm-row"));
    all[Math.max(0, Math.min(all.length - 1, at + step))].focus();
  };
  const inRow = { a: "[data-act=accept]", r: "[data-act=reject]", e: "[data-act=edit]", x: ".gm-select" };
  const typing = (target) => target.closest("input, textarea, select, [contenteditable=true], .cm-editor");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (Date.now() - afterG < 1200) {
      afterG = 0;
      const entry = document.querySelector(`.gm-entry[data-key="${CSS.escape(event.key)}"]`);
      if (entry) {
        event.preventDefault();
        entry.click();
        return;
      }
    }
    if (event.key === "g") afterG = Date.now();
    else if (event.key === "/") {
      event.preventDefault();
      document.querySelector(".gm-search input")?.focus();
    } else if (inRow[event.key]) {
      event.preventDefault(); // an editor that opens does not get the letter
      event.target.closest(".gm-row")?.querySelector(inRow[event.key])?.click();
    }
    else if (event.key === "f") document.querySelector("[data-jump=failure]")?.click();
    else if (event.key === "?") help();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "Enter" && event.target.classList.contains("gm-row"))
      (event.target.matches("a") ? event.target : event.target.querySelector("a"))?.click();
  });

  // The entry of the page that is shown.
  const mark = () => {
    for (const entry of document.querySelectorAll(".gm-entry")) {
      const on = new URL(entry.href).pathname === location.pathname;
      entry.classList.toggle("on", on);
      on ? entry.setAttribute("aria-current", "page") : entry.removeAttribute("aria-current");
      if (on && entry.parentElement.scrollWidth > entry.parentElement.clientWidth) // the menu of a phone, in one line
        entry.parentElement.scrollLeft = entry.offsetLeft - (entry.parentElement.clientWidth - entry.offsetWidth) / 2;
    }
  };
  // An editor takes no name from the server; it gets that of the element around it.
  const name = () => {
    for (const editor of document.querySelectorAll("[data-label] .cm-content:not([aria-label])"))
      editor.setAttribute("aria-label", editor.closest("[data-label]").dataset.label);
    document.querySelector(".q-loading-bar:not([aria-hidden])")?.setAttribute("aria-hidden", "true");
  };
  let shown = "";
  setInterval(() => {
    name();
    const now = location.pathname + document.querySelectorAll(".gm-entry").length;
    if (now !== shown) {
      shown = now;
      mark();
    }
  }, 100);
})();
