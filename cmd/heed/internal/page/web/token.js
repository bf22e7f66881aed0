// The token of a daemon that needs one. It is kept only while the page is open.
import { byId, h } from "./dom.js";

let asking = null; // a Promise of the token, while a person is asked

// askForToken asks a person for a token, and returns it, or "" if the person types none. isWrong is true if the daemon
// refused the last token.
export function askForToken(isWrong) {
  asking ??= new Promise((resolve) => {
    const dialog = byId("token");
    const input = h("input", { type: "password", id: "token-text", autocomplete: "off" });
    const form = h("form", { method: "dialog", tabindex: "-1", autofocus: true }, // what is being typed elsewhere is no token
      h("h2", { id: "token-title" }, "This daemon needs a token"),
      isWrong && h("p", { class: "error" }, "The daemon refused that token."),
      h("p", { class: "note" }, "Its administrator has it. It is kept only while this page is open."),
      h("label", { class: "label", for: "token-text" }, "Token"), input,
      h("button", { type: "submit" }, "Continue"));
    dialog.replaceChildren(form);
    dialog.addEventListener("close", () => {
      asking = null;
      resolve(dialog.returnValue === "cancelled" ? "" : input.value.trim());
      dialog.replaceChildren();
    }, { once: true });
    dialog.addEventListener("cancel", () => { dialog.returnValue = "cancelled"; }, { once: true });
    dialog.returnValue = "";
    dialog.showModal();
  });
  return asking;
}
