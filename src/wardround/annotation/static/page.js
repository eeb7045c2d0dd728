// Copying ids, Ctrl+Enter in a query, dismissing messages, and no autosave over a conflict.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy !== undefined) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => {
      const before = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = before; }, 1200);
    });
  }
  if (button.dataset.dismiss !== undefined) button.closest(".message").remove();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const run = event.target.closest("form")?.querySelector("[data-run]");
  if (run) { event.preventDefault(); run.click(); }
});

// Leaving a page with unsaved text asks first.
let unsaved = false;
document.addEventListener("input", (event) => {
  if (event.target.closest("[data-autosave]")) unsaved = true;
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) unsaved = Boolean(document.querySelector(".conflict"));
});
window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.detail.elt.closest("[data-autosave]");
  const cause = event.detail.requestConfig.triggeringEvent;
  const automatic = cause && cause.type !== "submit" && cause.type !== "click";
  if (form && automatic && form.querySelector(".conflict")) event.preventDefault();
});

document.addEventListener("htmx:beforeSwap", () => {
  document.getElementById("message").replaceChildren();
});

// A node that was just added gets the focus.
document.addEventListener("htmx:afterSettle", (event) => {
  const action = String(event.detail.requestConfig?.parameters?.do ?? "");
  if (!action.startsWith("add")) return;
  const form = event.detail.requestConfig.elt.closest("[data-rubric]");
  const name = form ? form.dataset.rubric : event.detail.target.id;
  const place = action.slice(4);
  const key = place.replaceAll(".", "_");
  const children = document.querySelectorAll(`#node-${CSS.escape(`${name}-${key}`)} > ol > li`);
  children[children.length - 1]?.querySelector("textarea")?.focus();
});
