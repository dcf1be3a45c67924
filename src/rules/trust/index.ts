export { careFor, isProtectedPath, PROTECTED_FOLDERS, protectedNames, type SpecPaths } from './protected-paths.ts';
export { type Asked, FILE, filesIn, namesOf, SERVER, type Untrusted, untrusted, weakening, without } from './trust.ts';
