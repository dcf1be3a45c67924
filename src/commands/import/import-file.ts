import type { Imported, ImportRequest } from './outcome.ts';
import { readBacklog, reportOf } from './read-backlog.ts';
import { atTarget, nativeOf, writeNative } from './write-native.ts';

/** One file of somebody's stories. @param path absolute */
export async function importFile(request: ImportRequest, path: string): Promise<Imported> {
  const understood = await readBacklog(path, request.source, request.repair);
  const native = nativeOf(understood, request.source);
  const report = reportOf(understood, request.source);
  const warnings = [...report.warnings, ...native.warnings];
  if (request.dryRun) return { ...report, warnings, written: [], backups: [] };
  const companions = { prose: () => [], beside: async () => ({}) };
  const made = await atTarget(request, (target) =>
    writeNative(request, target, { path, name: request.source, understood, companions }),
  );
  return { ...report, warnings, ...made };
}
