const shell = (command: string): object => ({ run: command });
const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
/** Says its pid where the invariants look for survivors. */
const outlives = (prefix: string): object =>
  shell(`(${prefix} sh -c 'echo $$ >> "$0"; exec sleep 900' "$HOME/pids" > /dev/null 2>&1 &) ; sleep 0.2`);

/**
 * What an agent does wrong in the first try of the first story, after it wrote something of its own. Each is a list of
 * actions of the scripted agent (docs/scripted-agent.md).
 */
export const AGENT_FAULTS = {
  'truncates the backlog': [shell(`printf '{"userStories": [' > ralph/tasks.json`), READY],
  'empties the backlog': [shell(': > ralph/tasks.json'), READY],
  'deletes the spec folder': [shell('rm -rf ralph'), READY],
  'makes the backlog a FIFO': [shell('rm -f ralph/tasks.json; mkfifo ralph/tasks.json'), READY],
  'marks every story done': [
    shell(
      `sed -i 's/"passes": false/"passes": true/; s/"reviewStatus": null/"reviewStatus": "approved"/' ralph/tasks.json`,
    ),
    READY,
  ],
  'deletes .ralph': [shell('rm -rf .ralph'), READY],
  'makes .ralph a link to the outside': [
    shell('rm -rf .ralph; mkdir -p "$HOME/elsewhere"; ln -s "$HOME/elsewhere" .ralph'),
    READY,
  ],
  'deletes .git/ralph': [shell('rm -rf "$(git rev-parse --git-dir)/ralph"'), READY],
  'deletes the ledger': [shell('rm -f "$(git rev-parse --git-dir)/ralph/ledger.jsonl"'), READY],
  'overwrites the journal': [shell('echo "{}" > "$(git rev-parse --git-dir)/ralph/journal/lane-0.json"'), READY],
  'amends the last commit': [shell('git commit -q --no-verify --amend -m rewritten'), READY],
  'resets the branch to a commit of its own': [
    shell('git reset -q --hard $(git commit-tree HEAD^{tree} -m "no parents")'),
    READY,
  ],
  'commits on an orphan branch': [
    shell('git checkout -q --orphan lost; git add -A; git commit -q --no-verify -m lost'),
    READY,
  ],
  'detaches HEAD': [shell('git checkout -q --detach; git commit -q --no-verify --allow-empty -m detached'), READY],
  'writes nonsense into HEAD': [shell('echo nonsense > "$(git rev-parse --git-dir)/HEAD"'), READY],
  'deletes other branches': [shell('git branch -q -D other'), READY],
  'deletes the branch it is on': [shell('git update-ref -d HEAD'), READY],
  'leaves index.lock behind': [shell('touch "$(git rev-parse --git-dir)/index.lock"'), READY],
  'leaves HEAD.lock behind': [shell('touch "$(git rev-parse --git-dir)/HEAD.lock"'), READY],
  'writes nonsense into the index': [shell('echo nonsense > "$(git rev-parse --git-dir)/index"'), READY],
  'sets core.bare': [shell('git config core.bare true'), READY],
  'writes nonsense into the git config': [
    shell('echo "[nonsense" >> "$(git rev-parse --git-common-dir)/config"'),
    READY,
  ],
  'plants hooks': [
    shell(
      `d="$(git rev-parse --git-common-dir)/hooks"; mkdir -p "$d"; printf '#!/bin/sh\\ntouch "$HOME/pwned"; exit 1\\n' > "$d/pre-commit"; chmod +x "$d/pre-commit"`,
    ),
    READY,
  ],
  'collects garbage': [shell('git -c gc.reflogExpire=now gc -q --prune=now'), READY],
  'leaves a child': [outlives(''), READY],
  'leaves a child in a session of its own': [outlives('setsid'), READY],
  'leaves a daemon without environment': [outlives('setsid env -i'), READY],
  'floods its output': [{ flood: { bytes: 30_000_000 } }, READY],
  'prints one endless line': [{ flood: { bytes: 30_000_000, lines: false } }, READY],
  'floods its output with 1 GB': [{ flood: { bytes: 1_000_000_000 } }, READY],
  'never ends': [{ hang: true }],
  'never ends and ignores SIGTERM': [{ 'ignore-term': true }, { hang: true }],
  'dies of SIGKILL': [{ crash: { signal: 'SIGKILL' } }],
  'ends without a word': [{ empty: true }],
  'makes 2,000 files': [shell('mkdir many; cd many; seq 2000 | xargs touch'), READY],
  'makes 100,000 files': [shell('mkdir many; cd many; seq 100000 | xargs touch'), READY],
  'makes folders 200 deep': [
    shell('p=deep; for i in $(seq 200); do p="$p/d"; done; mkdir -p "$p"; echo x > "$p/x"'),
    READY,
  ],
  'makes a folder nobody can read': [shell('mkdir locked; echo x > locked/x; chmod 000 locked'), READY],
  'makes links in a circle': [shell('mkdir circle; ln -s .. circle/up; ln -s b circle/a; ln -s a circle/b'), READY],
  'makes FIFOs': [shell('mkdir special; mkfifo special/pipe; rm -f README.md; mkfifo README.md'), READY],
  'makes a socket': [
    shell(
      `mkdir -p special; node -e 'const s=require("net").createServer().listen("special/socket",()=>process.kill(process.pid,"SIGKILL"))'`,
    ),
    READY,
  ],
  'makes a file of 150 MB': [shell('head -c 150000000 /dev/zero > huge.bin'), READY],
  'gives files odd names': [
    shell(
      `mkdir odd; cd odd; printf x > "$(printf 'new\\nline')"; printf x > "$(printf 'f\\377o')"; printf x > ' -rf '; printf x > '"q"'`,
    ),
    READY,
  ],
  'makes a repository within': [
    shell(
      'git init -q inner; cd inner; echo x > x; git add x; git -c user.name=a -c user.email=a@example.org commit -q -m x',
    ),
    READY,
  ],
  'deletes everything but its own work': [
    shell('find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .ralph ! -name work -exec rm -rf {} +'),
    READY,
  ],
  'replaces folders by files': [
    shell('rm -rf src docs; echo x > src; echo x > docs; rm -f README.md; mkdir README.md'),
    READY,
  ],
} as const satisfies Readonly<Record<string, readonly object[]>>;

export type AgentFaultName = keyof typeof AGENT_FAULTS;

/** Too big for a seeded mix: tried each by itself. */
export const HEAVY: readonly AgentFaultName[] = ['floods its output with 1 GB', 'makes 100,000 files'];

export const AGENT_FAULT_NAMES = Object.keys(AGENT_FAULTS) as readonly AgentFaultName[];

/** Those that only a limit on time ends. */
export const ENDLESS: readonly AgentFaultName[] = ['never ends', 'never ends and ignores SIGTERM'];
