export { createImages, type Drawing, type Glance, type Images, type ImagesOptions, type Reduced } from "./images.ts";
