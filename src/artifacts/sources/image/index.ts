/** Images that kubexm makes itself, and image tars. */
export { makeImage, makeKey } from './make.ts';
export { imageTar } from './tar.ts';
