// @ts-check

/**
 * The phone in the browser. All that comes from outside is put in as text, never as markup; a link is one only when it
 * is http(s). The server says that something changed, and the page fetches what it shows.
 *
 * The simulator's key comes in the address's fragment, which no server and no log sees. It is kept for this tab alone and
 * goes with each request as a header.
 */

/** @typedef {{ phone: string, name: string, at: string, text: string | null, reachable: boolean, undelivered: number, unread: number }} Chat */
/** @typedef {{ button: string, label: string, at: string, heard: boolean }} Reply */
/** @typedef {{ id: string, at: string, text: string, buttons: { id: string, label: string }[], link: string | null, linkLabel: string, replies: Reply[] }} Message */

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  tick: ["m3 7.5 3 3L12 4"],
  ticks: ["m1.5 7.5 3 3 6-6.5", "m8 9.8.7.7 6-6.5"],
  open: ["M14 4h6v6", "M20 4 11 13", "M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5"],
};

const timeFormat = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dayFormat = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long" });

/** @param {string} id */
const element = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
};
const KEY = "simulator-key";
const RETRY_MS = 1_000;

const desk = element("desk");
const device = element("device");
const chatList = element("chat");

const phoneInAddress = () => {
  return /^#(\d{8,15})$/.exec(location.hash)?.[1];
};

/** @type {Chat[]} */
let chats = [];
/** The phone that is shown. */
let shown = phoneInAddress();
/** What was drawn last, so that nothing is drawn again without need: focus and animations stay. */
let drawn = "";
let drawnPhone = "";
let loading = false;
let staleMeanwhile = false;
/** Whether changes are listened to, or tried to be. */
let watching = false;

/**
 * @param {string} tag
 * @param {{ [name: string]: string | boolean }} [attributes]
 * @param {(Node | string)[]} children
 */
const make = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

/**
 * @param {keyof typeof PATHS} name
 * @param {string} box
 * @param {string} className
 */
const icon = (name, box, className = "") => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", box);
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
};

/** @param {string} name */
const initials = (name) => {
  const words = name.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase() || "#";
};

/** @param {string} phone */
const hue = (phone) => `hue-${[...phone].reduce((sum, digit) => sum + Number(digit), 0) % 6}`;

/** @param {Chat} chat */
const lastLine = ({ text, reachable }) => text ?? (reachable ? "Not delivered" : "Not delivered: phone is off");

/** @param {Chat} chat */
const phoneRow = (chat) => {
  const row = make(
    "button",
    {
      type: "button",
      class: `phone-row${chat.reachable ? "" : " off"}`,
      "aria-current": String(chat.phone === shown),
      "data-phone": chat.phone,
    },
    make("span", { class: `avatar ${hue(chat.phone)}`, "aria-hidden": "true" }, initials(chat.name)),
    make("span", { class: "phone-name" }, chat.name),
    make("time", { class: "phone-time", datetime: chat.at }, timeFormat.format(new Date(chat.at))),
    make("span", { class: "phone-last" }, lastLine(chat)),
  );
  if (chat.unread > 0) {
    row.append(make("span", { class: "badge", "aria-label": `${chat.unread} unread` }, String(chat.unread)));
  }
  row.addEventListener("click", () => {
    location.hash = chat.phone;
  });
  return make("li", {}, row);
};

const drawPhones = () => {
  const focused = document.activeElement?.getAttribute("data-phone");
  element("phones").replaceChildren(...chats.map(phoneRow));
  element("no-phones").hidden = chats.length > 0;
  if (focused) focusOn(`[data-phone="${focused}"]`);
};

/** @param {string} selector */
const focusOn = (selector) => {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) return false;
  found.focus({ preventScroll: true });
  return true;
};

/** @param {string} at */
const timeOf = (at) => {
  return make("time", { datetime: at }, timeFormat.format(new Date(at)));
};

/** @param {Message} message */
const actionsOf = (message) => {
  const actions = message.buttons.map(({ id, label }) => {
    const pressed = message.replies.at(-1)?.button === id;
    const action = make("button", { type: "button", class: "action", disabled: pressed, "data-button": id }, label);
    action.addEventListener("click", () => post(`messages/${encodeURIComponent(message.id)}/reply`, { button: id }));
    return action;
  });
  if (message.link && /^https?:\/\//.test(message.link)) {
    const attributes = {
      class: "action link",
      "data-button": "link",
      href: message.link,
      target: "_blank",
      rel: "noopener noreferrer",
    };
    actions.push(make("a", attributes, message.linkLabel, icon("open", "0 0 24 24")));
  }
  return actions;
};

/** @param {Message} message */
const incoming = (message) => {
  const bubble = make("div", { class: "bubble" }, make("p", { class: "text", lang: "es" }, message.text));
  bubble.append(make("div", { class: "meta" }, timeOf(message.at)));
  const row = make("li", { class: "message", "data-id": message.id }, bubble);
  const actions = actionsOf(message);
  if (actions.length > 0) row.append(make("div", { class: "actions", lang: "es" }, ...actions));
  return row;
};

/** @param {Reply} reply */
const mine = (reply) => {
  const state = reply.heard ? "Read" : "Sent";
  const ticks = icon(reply.heard ? "ticks" : "tick", "0 0 16 14", reply.heard ? "ticks heard" : "ticks");
  const meta = make("div", { class: "meta" }, timeOf(reply.at), ticks, make("span", { class: "ticks-label" }, state));
  const bubble = make("div", { class: "bubble" }, make("p", { class: "text", lang: "es" }, reply.label), meta);
  return make("li", { class: "message mine" }, bubble);
};

/** @param {Message[]} messages */
const bubblesOf = (messages) => {
  return messages
    .flatMap((message) => [
      { at: message.at, row: () => incoming(message) },
      ...message.replies.map((reply) => ({ at: reply.at, row: () => mine(reply) })),
    ])
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
};

/**
 * @param {Chat} chat
 * @param {Message[]} messages
 */
const drawChat = (chat, messages) => {
  // Not all of the chat: that its messages are read now changes nothing here, and would take links from under a finger.
  const now = JSON.stringify([chat.phone, chat.name, chat.reachable, chat.undelivered, messages]);
  if (now === drawn) return;
  drawn = now;
  element("chat-phone").textContent = `+${chat.phone} · ${chat.name}`;
  element("reachable").setAttribute("aria-checked", String(chat.reachable));
  element("foot").textContent = chat.reachable
    ? "Answer with the buttons, as on a real phone."
    : "This phone is off: what is sent to it fails.";
  device.classList.toggle("off", !chat.reachable);
  const wasAtEnd = chatList.scrollHeight - chatList.scrollTop - chatList.clientHeight < 40;
  const isNewHere = drawnPhone !== chat.phone;
  drawnPhone = chat.phone;
  const focused = document.activeElement;
  const message = focused?.closest(".message")?.getAttribute("data-id");
  const button = focused?.getAttribute("data-button");
  chatList.replaceChildren(...rowsOf(chat, messages));
  // Whoever uses a keyboard stays where they were, or, where that button was pressed, at its message.
  if (message) {
    const actions = `[data-id="${message}"] .action:not(:disabled)`;
    focusOn(`${actions}[data-button="${button}"]`) || focusOn(actions);
  }
  if (wasAtEnd || isNewHere) chatList.scrollTop = chatList.scrollHeight;
};

/**
 * @param {Chat} chat
 * @param {Message[]} messages
 */
const rowsOf = (chat, messages) => {
  /** @type {HTMLElement[]} */
  const rows = [];
  let day = "";
  for (const { at, row } of bubblesOf(messages)) {
    const itsDay = dayFormat.format(new Date(at));
    if (itsDay !== day) rows.push(make("li", { class: "day" }, itsDay));
    day = itsDay;
    rows.push(row());
  }
  if (chat.undelivered > 0) {
    const count = chat.undelivered === 1 ? "1 message" : `${chat.undelivered} messages`;
    rows.push(make("li", { class: "note" }, `${count} could not be delivered while the phone was off.`));
  }
  return rows;
};

const load = async () => {
  if (loading) {
    staleMeanwhile = true;
    return;
  }
  loading = true;
  try {
    do {
      staleMeanwhile = false;
      await loadOnce();
    } while (staleMeanwhile);
  } catch {
    say("The service does not answer; trying again.");
  } finally {
    loading = false;
  }
};

const loadOnce = async () => {
  chats = await get("chats");
  const isWide = matchMedia("(min-width: 721px)").matches;
  if (!shown && isWide) shown = chats[0]?.phone;
  const chat = chats.find(({ phone }) => phone === shown);
  desk.classList.toggle("open", chat !== undefined);
  device.hidden = !chat;
  element("welcome").hidden = chat !== undefined;
  if (chat) {
    const phone = chat.phone;
    const messages = await get(`chats/${phone}`);
    // Another phone was chosen in the meantime: that choice loads for itself.
    if (phone === shown) drawChat(chat, messages);
    if (chat.unread > 0 && !document.hidden) await post(`phones/${phone}/read`, {});
  }
  drawPhones();
  element("wall-clock").textContent = timeFormat.format();
};

/** Takes the key out of the address, so that neither the history nor a screenshot has it. */
const takeKey = () => {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  sessionStorage.setItem(KEY, key);
  history.replaceState(null, "", location.pathname);
};

/**
 * @param {string} path
 * @param {RequestInit} [options]
 */
const ask = async (path, options = {}) => {
  const headers = { ...options.headers, "x-simulator-key": sessionStorage.getItem(KEY) ?? "" };
  const response = await fetch(`/simulator/${path}`, { ...options, headers });
  if (response.status === 401) lock(true);
  return response;
};

/** @param {boolean} locked */
const lock = (locked) => {
  element("locked").hidden = !locked;
  desk.hidden = locked;
  if (locked) sessionStorage.removeItem(KEY);
};

/** Loads on each sign of a change, and again when the service is back, until the key is refused. */
const watch = async () => {
  if (watching) return;
  watching = true;
  while (sessionStorage.getItem(KEY)) {
    await changes().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  watching = false;
};

const changes = async () => {
  const { body, ok } = await ask("changes");
  const reader = ok ? body?.getReader() : undefined;
  while (reader && !(await reader.read()).done) load();
};

const start = () => {
  takeKey();
  const hasKey = sessionStorage.getItem(KEY) !== null;
  lock(!hasKey);
  if (hasKey) watch();
};

/** @param {string} path */
const get = async (path) => {
  const response = await ask(path);
  if (!response.ok) throw new Error(`${response.status}`);
  element("toast").hidden = true;
  return response.json();
};

/**
 * @param {string} path
 * @param {object} body
 */
const post = async (path, body) => {
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await ask(path, options).catch(() => undefined);
  if (!response?.ok) say("That did not work. Try again.");
};

/** @param {string} text */
const say = (text) => {
  const toast = element("toast");
  toast.textContent = text;
  toast.hidden = false;
};

element("reachable").addEventListener("click", () => {
  const chat = chats.find(({ phone }) => phone === shown);
  if (chat) post(`phones/${chat.phone}`, { reachable: !chat.reachable });
});
element("back").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  shown = undefined;
  load();
});
addEventListener("hashchange", () => {
  start();
  shown = phoneInAddress();
  load();
});
document.addEventListener("visibilitychange", load);
start();
