export { utcTime } from "./content/times.ts";
export { clipped, hash } from "./content/words.ts";
export type { Block, Content, Field, Text, Tone } from "./layout/blocks.ts";
export { createRenderer, type Renderer, type RendererOptions } from "./render/render.ts";
