import type { Project } from './project.ts';

/** Printed text with what differs from run to run replaced, for snapshots. */
export function plainText(project: Project, text: string): string {
  return text
    .replaceAll(project.root, '<root>')
    .replaceAll(project.outside, '<outside>')
    .replace(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, '<run>');
}
