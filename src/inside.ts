/**
 * The first program of a sandbox, where Perl does not take its place (`adapters/isolation/view/bridge.ts`):
 * `node inside.cjs --sockets DIR --ports 3128=egress,5432=5432 --processes N -- FILE ARGS…`.
 * Bundled as one file without dependencies, because it is read at every start of a sandbox.
 */
import { parseArgs } from 'node:util';
import { BridgeFailed, runBridged } from './platform/index.ts';

main().then(
  // Even with connections still open: what the command left behind ends with the sandbox.
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`ralph sandbox: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof BridgeFailed ? error.exitCode : 125);
  },
);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { sockets: { type: 'string' }, ports: { type: 'string' }, processes: { type: 'string' } },
    allowPositionals: true,
  });
  const { sockets, ports = '', processes = '0' } = values;
  const [file, ...args] = positionals;
  if (sockets === undefined || file === undefined) throw new BridgeFailed('needs --sockets DIR -- FILE ARGS…', 125);
  const named = [...ports.matchAll(/(\d+)=([^,]+)/g)].map(([, port, name]) => [`${name}.sock`, Number(port)] as const);
  return runBridged({ sockets, ports: new Map(named), processes: Number(processes), file, args });
}
