export type { Asked } from './scene.ts';
