import { ApiError, type ReadyState, type SigningApi, type SigningState } from "./api.ts";
import { button, h, icon } from "./dom.ts";
import { doneScreen } from "./done-screen.ts";
import { endedScreen } from "./ended-screen.ts";
import { messageScreen } from "./message-screen.ts";
import { nextPhoto, photosDialog } from "./photos-dialog.ts";
import { rejectDialog } from "./reject-dialog.ts";
import { reviewScreen } from "./review-screen.ts";
import { signDialog } from "./sign-dialog.ts";
import type { Screen, Stage } from "./stage.ts";
import { texts } from "./texts.ts";
import { poll, whenOnline } from "./time.ts";

interface App {
  api: SigningApi;
  stage: Stage;
  /** That a person is here is told once for each visit. */
  toldOpened: boolean;
}

/** Which screen comes when: the service's state decides, asked anew whenever it may have changed. */
export const startApp = (api: SigningApi, stage: Stage): Promise<void> => open({ api, stage, toldOpened: false });

const open = async (app: App): Promise<void> => {
  app.stage.show(openingScreen);
  await reload(app);
};

const reload = async (app: App): Promise<void> => {
  const answer = await stateOf(app);
  if (answer instanceof Error) showFailure(app, answer);
  else showState(app, answer);
};

const stateOf = ({ api }: App): Promise<SigningState | Error> =>
  api.state().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));

const showState = (app: App, state: SigningState): void => {
  switch (state.status) {
    case "signed":
      app.stage.show(state.end ? endedScreen(state) : doneScreen(app.api, state, false));
      break;
    case "rejected":
      showRejected(app, state);
      break;
    case "ended":
      app.stage.show(endedScreen(state));
      break;
    case "pending":
      showPending(app, state);
  }
};

const showPending = (app: App, state: SigningState): void => {
  if (!app.toldOpened) app.api.opened();
  app.toldOpened = true;
  if (isReady(state)) showReview(app, state);
  else showPreparing(app);
};

/** Whether the document is there; without photos to take, nothing but its preparation can keep it from being signed. */
const isReady = (state: SigningState): state is ReadyState =>
  state.document_sha256 !== null && state.page_count !== null && (state.can_sign || state.request_photos);

const showReview = (app: App, state: ReadyState): void =>
  app.stage.show(
    reviewScreen(app.api, state, {
      sign: (signal) => goSigning(app, state, signal),
      reject: (signal) => goRejecting(app, state, signal),
      changed: () => showChanged(app),
    }),
  );

const goRejecting = (app: App, state: SigningState, signal: AbortSignal): void => {
  const outcome = { rejected: () => showRejected(app, state), conflict: () => void reload(app) };
  rejectDialog(app.api, outcome, signal).open();
};

const goSigning = (app: App, state: ReadyState, signal: AbortSignal): void => {
  const outcome = {
    signed: () => app.stage.show(doneScreen(app.api, state, true)),
    conflict: () => afterConflict(app, state),
  };
  const step = state.can_sign
    ? signDialog(app.api, state, outcome, signal)
    : photosDialog(app.api, state, (fresh) => afterPhotos(app, state, fresh, signal), signal);
  step.open();
};

/** Goes on with the document and the consent that were shown, whatever has changed since: the service will tell. */
const afterPhotos = (app: App, shown: ReadyState, fresh: SigningState, signal: AbortSignal): void => {
  if (fresh.status !== "pending") showState(app, fresh);
  else goSigning(app, { ...shown, photos: fresh.photos, can_sign: fresh.can_sign }, signal);
};

/**
 * The service refused to sign (409): another document, a photo missing, or a state that has its own screen.
 * Resolves with false when nothing of that explains it, so that the drawing stays and can be sent again.
 */
const afterConflict = async (app: App, known: ReadyState): Promise<boolean> => {
  const fresh = await stateOf(app);
  if (fresh instanceof ApiError && fresh.status === 0) return false;
  if (fresh instanceof Error) showFailure(app, fresh);
  else if (fresh.status !== "pending" || nextPhoto(fresh) !== null) showState(app, fresh);
  else if (fresh.document_sha256 !== known.document_sha256 || fresh.consent.version !== known.consent.version)
    showChanged(app);
  else if (fresh.can_sign) return false;
  else showPreparing(app);
  return true;
};

const showRejected = (app: App, state: SigningState): void =>
  app.stage.show(messageScreen({ tone: "neutral", icon: "cross", about: state, ...texts.rejected }));

const showChanged = (app: App): void => {
  const again = button(texts.changed.action, () => void open(app), { kind: "primary" });
  app.stage.show(messageScreen({ tone: "bad", icon: "refresh", actions: [again], ...texts.changed }));
};

const showPreparing = (app: App): void =>
  app.stage.show((signal) => {
    waitUntilPrepared(app.api, signal).then(
      (prepared) => (prepared ? open(app) : showFailure(app, new ApiError(503))),
      () => undefined,
    );
    return messageScreen({ tone: "busy", icon: "clock", ...texts.preparing })(signal);
  });

/** Resolves with whether the document was prepared in time; rejects when the screen is left. */
const waitUntilPrepared = (api: SigningApi, signal: AbortSignal): Promise<boolean> =>
  poll(async () => {
    const state = await api.state(signal);
    return state.status !== "pending" || isReady(state);
  }, signal);

const showFailure = (app: App, error: Error): void => {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 404) app.stage.show(messageScreen({ tone: "neutral", icon: "link", ...texts.unknown }));
  else if (error instanceof ApiError && status === 410) showGone(app, error);
  else if (status === 409) showPreparing(app);
  else showRetry(app, status === 0);
};

const showGone = (app: App, { code, businessName }: ApiError): void => {
  const isReplaced = code === "link_replaced";
  const { title, erased } = texts.ended;
  const said = isReplaced ? texts.replaced : { title, text: erased(businessName) };
  app.stage.show(messageScreen({ tone: "neutral", icon: isReplaced ? "link" : "close", ...said }));
};

const showRetry = (app: App, offline: boolean): void => {
  const retry = button([icon("refresh"), texts.retry], () => void open(app), { kind: "primary" });
  const screen: Screen = offline
    ? messageScreen({ tone: "bad", icon: "wifi", actions: [retry], ...texts.offline })
    : messageScreen({ tone: "bad", icon: "refresh", actions: [retry], ...texts.broken });
  app.stage.show((signal) => {
    if (offline) whenOnline(() => void open(app), signal);
    return screen(signal);
  });
};

const openingScreen: Screen = () => ({
  title: texts.opening,
  content: h("main", { class: "opening", role: "status" }, h("span", { class: "spinner" }), texts.opening),
});
