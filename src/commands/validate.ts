import { ExitCode } from '../contracts/model.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { paintFor } from '../surfaces/terminal/paint.ts';
import { renderRemarks, renderValidation } from './plan/render.ts';
import { validatePlan, validateWorkspace } from './plan/validation.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configIn, openWorkspace } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';

/** `ralph validate [--plan]` */
export async function validate(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const validation = isOn(flags, 'plan')
    ? await validatePlan(workspace, (await configIn(git, io)).config.verifyCommands)
    : await validateWorkspace(workspace);
  const paint = paintFor(io);
  if (isOn(flags, 'json')) printJson(io, validation);
  else printLines(io, [...renderValidation(validation, paint), ...renderRemarks(validation, paint)]);
  return validation.ok ? ExitCode.complete : ExitCode.usage;
}
