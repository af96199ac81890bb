import type { PhotoKind, SigningApi, SigningState } from "./api.ts";
import { dialog, errorLine, setWaiting } from "./dialog.ts";
import { button, h, icon, uniqueId } from "./dom.ts";
import { shrunkPhoto } from "./photo-file.ts";
import { texts } from "./texts.ts";
import { poll } from "./time.ts";

const kinds: readonly PhotoKind[] = ["selfie", "dni_frontal", "dni_trasera"];
const wanting = new Set(["missing", "rejected"]);

/** The next photo that the signer has to take; null when none is missing. */
export const nextPhoto = ({ request_photos, photos }: SigningState): PhotoKind | null => {
  if (!request_photos) return null;
  return kinds.find((kind) => wanting.has(photos[kind]?.state ?? "missing")) ?? null;
};

/**
 * Asks for the missing photos one after the other; `complete` gets the state in which none is missing, or in which
 * there is nothing left to sign.
 */
export const photosDialog = (
  api: SigningApi,
  state: SigningState,
  complete: (state: SigningState) => void,
  signal: AbortSignal,
) => {
  const titleId = uniqueId("photos");
  const place = h("div", { class: "sheet-body" });
  const close = button(icon("close"), () => sheet.close(), { kind: "quiet", "aria-label": texts.close });
  const header = h("div", { class: "sheet-header" }, h("h2", { id: titleId }, texts.photos.title), close);
  const sheet = dialog(titleId, "sheet", signal, header, place);

  const show = (fresh: SigningState): void => {
    const kind = nextPhoto(fresh);
    if (fresh.can_sign || fresh.status !== "pending") {
      sheet.close();
      complete(fresh);
    } else if (kind !== null) place.replaceChildren(photoStep(api, fresh, kind, advance));
    else void validating();
  };
  const advance = async (): Promise<void> => show(await api.state(signal));
  const validating = async (): Promise<void> => {
    place.replaceChildren(h("p", { class: "message-text busy-text", role: "status" }, texts.photos.validating));
    let fresh: SigningState | null = null;
    const decided = async () => {
      fresh = await api.state(signal);
      return fresh.can_sign || fresh.status !== "pending" || nextPhoto(fresh) !== null;
    };
    const inTime = await poll(decided, signal).catch(() => false);
    if (inTime && fresh !== null) show(fresh);
    else if (!signal.aborted) place.replaceChildren(h("p", { role: "alert" }, texts.review.notYet));
  };
  show(state);
  return sheet;
};

/** Takes one photo with the phone's camera and sends it; `advance` is called when it has arrived. */
const photoStep = (
  api: SigningApi,
  state: SigningState,
  kind: PhotoKind,
  advance: () => Promise<void>,
): HTMLElement => {
  const error = errorLine();
  const { name, how } = texts.photos.kinds[kind];
  const preview = h("img", { class: "photo-preview", alt: texts.photos.preview, hidden: true });
  const file = h("input", {
    type: "file",
    accept: "image/*",
    capture: kind === "selfie" ? "user" : "environment",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
    on: { change: () => void choose() },
  });
  const take = button(texts.photos.take, () => file.click(), { kind: "primary" });
  const use = button(texts.photos.use, () => void send(), { kind: "primary", hidden: true });
  let photo: Blob | null = null;
  let sending = false;

  const choose = async (): Promise<void> => {
    const chosen = file.files?.[0];
    if (chosen === undefined || sending) return;
    error.say("");
    photo = await shrunkPhoto(chosen).catch(() => null);
    file.value = "";
    if (photo === null) return error.say(texts.photos.unreadable);
    URL.revokeObjectURL(preview.src);
    preview.src = URL.createObjectURL(photo);
    preview.hidden = false;
    use.hidden = false;
    take.textContent = texts.photos.retake;
    take.className = "button secondary";
    use.focus();
  };
  const send = async (): Promise<void> => {
    if (photo === null || sending) return;
    sending = true;
    setWaiting(use, true, texts.photos.uploading);
    await api
      .uploadPhoto(kind, photo)
      .then(advance)
      .then(
        () => URL.revokeObjectURL(preview.src),
        () => error.say(texts.photos.failed),
      );
    sending = false;
    setWaiting(use, false, texts.photos.use);
  };

  const { state: photoState, reason } = state.photos[kind] ?? { state: "missing", reason: null };
  if (photoState === "rejected") error.say(texts.photos.reasons[reason ?? ""] ?? texts.photos.rejected);
  return h(
    "div",
    { class: "photo" },
    h("p", { class: "step" }, texts.photos.step(kinds.indexOf(kind) + 1, kinds.length)),
    h("h3", {}, name),
    h("p", {}, how),
    preview,
    error.element,
    h("div", { class: "row" }, take, use),
    file,
  );
};
