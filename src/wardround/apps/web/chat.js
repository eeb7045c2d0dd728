// Shows the steps of an answer while they happen; without this file the page works the same way.
"use strict";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-ask]") || !window.fetch) return;
  event.preventDefault();
  const button = form.querySelector("button");
  const box = form.querySelector("textarea");
  const steps = document.getElementById("steps");
  if (!box.value.trim()) return;
  button.disabled = true;
  box.readOnly = true;
  steps.textContent = "Reading the question …";
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "text/event-stream" },
      body: new URLSearchParams(new FormData(form)),
    });
    if (!response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      throw new Error((page.querySelector("[role=alert]") ?? page.body).textContent);
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      buffer += value;
      const lines = buffer.split("\n\n");
      buffer = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue;
        const data = JSON.parse(line.slice(6));
        if (data.step) steps.textContent = data.step;
        if (data.problem) throw new Error(data.problem);
        if (data.address) {
          // The same page with another fragment would not be loaded again.
          window.location.replace(data.address);
          if (new URL(data.address, window.location).pathname === window.location.pathname) {
            window.location.reload();
          }
          return;
        }
      }
    }
    throw new Error("The connection was closed before the answer; ask again.");
  } catch (error) {
    steps.textContent = error.message;
    button.disabled = false;
    box.readOnly = false;
  }
});

// A page that opens at an answer takes the focus away when it has scrolled there.
window.addEventListener("load", () => {
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    document.getElementById("question")?.focus({ preventScroll: true });
  }, 50);
});

document.addEventListener("keydown", (event) => {
  const box = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && box.matches("[data-ask] textarea")) {
    box.form.requestSubmit();
  }
});
