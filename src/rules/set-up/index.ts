export { isSetUpFile, type SetUpStep, setUpKey, setUpOf } from './set-up.ts';
