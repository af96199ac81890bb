/** The page's whole render layer: elements with attributes, listeners and text. Text is never parsed as HTML. */

export type Child = Node | string | null | false | undefined;

type Listeners = { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };

export interface Props {
  [attribute: string]: string | number | boolean | undefined | Listeners;
  on?: Listeners;
}

/** Makes an element; an attribute that is false or undefined is left out, one that is true stands without value. */
export const h = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "on" || value === false || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, listener] of Object.entries(props.on ?? {}))
    element.addEventListener(event, listener as EventListener);
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
};

/** Somebody else's words: kept apart, so that their writing direction does not turn ours around. */
export const quoted = (text: string, className?: string): HTMLElement => h("bdi", { class: className }, text);

const svgNamespace = "http://www.w3.org/2000/svg";

const iconPaths = {
  check: "M5 12.5l4.5 4.5L19 7.5",
  clock: "M12 7v5l3.5 2M12 3a9 9 0 1 0 .01 0z",
  close: "M6 6l12 12M18 6L6 18",
  cross: "M7.5 7.5l9 9M16.5 7.5l-9 9",
  download: "M12 4v11m0 0l-4.5-4.5M12 15l4.5-4.5M5 19.5h14",
  file: "M13.5 3.5H7a1.5 1.5 0 0 0-1.5 1.5v14A1.5 1.5 0 0 0 7 20.5h10a1.5 1.5 0 0 0 1.5-1.5V8.5zM13.5 3.5v5h5",
  link: "M10 14a4 4 0 0 0 5.7 0l2.8-2.8a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-2.8 2.8a4 4 0 0 0 5.7 5.7l1-1",
  minus: "M6 12h12",
  pen: "M4 20l1-4.5L15.5 5a2 2 0 0 1 2.8 0l.7.7a2 2 0 0 1 0 2.8L8.5 19z",
  plus: "M12 6v12M6 12h12",
  refresh: "M19 12a7 7 0 1 1-2-4.9M19 4v4h-4",
  signature: "M3.5 16.5c3 0 5.5-9.5 7.5-9.5s-3 9-1 9 2.5-4 3.7-4 .3 3.3 1.5 3.3 1.8-1.1 3.3-1.1h2",
  trash: "M5 7h14M10 4h4M7 7l.8 12h8.4L17 7",
  undo: "M8 5L4 9l4 4M4 9h9.5a5.5 5.5 0 0 1 0 11H9",
  wifi: "M4 9.5a12 12 0 0 1 16 0M7 13a7.5 7.5 0 0 1 10 0M10 16.5a3 3 0 0 1 4 0M4 4l16 16",
} as const;

export type IconName = keyof typeof iconPaths;

/** A decorative line icon, 24 by 24, in the colour of the text around it. */
export const icon = (name: IconName): SVGElement => {
  const svg = document.createElementNS(svgNamespace, "svg");
  const attributes = { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" };
  for (const [attribute, value] of Object.entries(attributes)) svg.setAttribute(attribute, value);
  const path = document.createElementNS(svgNamespace, "path");
  path.setAttribute("d", iconPaths[name]);
  svg.append(path);
  return svg;
};

let lastId = 0;

/** An id that no other element of the page has. */
export const uniqueId = (name: string): string => {
  lastId += 1;
  return `${name}-${lastId}`;
};

export interface ButtonProps extends Props {
  kind?: "primary" | "secondary" | "danger" | "quiet";
}

/** A button that submits nothing by itself. */
export const button = (label: Child | Child[], press: () => void, { kind = "secondary", ...props }: ButtonProps = {}) =>
  h(
    "button",
    { type: "button", class: `button ${kind}`, ...props, on: { click: press } },
    ...(Array.isArray(label) ? label : [label]),
  );
