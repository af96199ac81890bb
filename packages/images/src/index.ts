// Drawings and photos, read and made smaller in helper processes.
// It must not know whose they are.

export { createImages, type Drawing, type Glance, type Images, type ImagesOptions, type Reduced } from "./images.ts";
