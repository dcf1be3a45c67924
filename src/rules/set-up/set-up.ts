/** Placeholder of the interface until the table is merged. */
export interface SetUpStep {
  readonly tool: string;
  readonly folder: string;
  readonly command: string;
  readonly decides: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly setUpEnv: Readonly<Record<string, string>>;
  readonly path: readonly string[];
}
export const SET_UP_FILES: readonly string[] = ['package-lock.json'];
export function setUpOf(files: Readonly<Record<string, string>>): readonly SetUpStep[] {
  return Object.keys(files).length === 0
    ? []
    : [
        {
          tool: 'npm',
          folder: '',
          command: 'npm ci --no-audit --no-fund',
          decides: ['package-lock.json'],
          env: {},
          setUpEnv: { npm_config_cache: '{cache}/npm' },
          path: [],
        },
      ];
}
export function setUpKey(steps: readonly SetUpStep[], ids: (path: string) => string | null): string {
  return JSON.stringify(steps.map((step) => [step.command, step.decides.map((path) => [path, ids(path)])]));
}
