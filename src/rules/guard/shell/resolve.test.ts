// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import { describe, expect, it } from 'vitest';
import { guardContext } from '../context.fixture.ts';
import { resolveCommand } from './resolve.ts';

/** The simple commands of a text, each as `via>via: name args <operator target`; U+FFFD shows as `?`. */
function commandsIn(text: string): readonly string[] {
  return resolveCommand(text, guardContext()).commands.map((command) => {
    const via = command.via.length === 0 ? '' : `${command.via.join('>')}: `;
    const words = [command.name, ...command.args.map((word) => word.text)];
    const redirects = command.redirects.map((redirect) => `${redirect.operator}${redirect.target.text}`);
    return (via + [...words, ...redirects].join(' ')).replaceAll('\uFFFD', '?');
  });
}

/** The last command, which is what the table rows below are about. */
function lastCommand(text: string): string {
  return commandsIn(text).at(-1) ?? '';
}

describe('the words of a command', () => {
  it.each([
    [String.raw`\r'm' "-r"f $'\x2f'`, 'rm -rf /'],
    ['{rm,-rf,a{1..2}}', 'rm -rf a1 a2'],
    ['x=rm; $x -r "$x y"', 'rm -r rm y'],
    ['x="rm -r a"; $x', 'rm -r a'],
    ['x="rm -r a"; "$x"', 'rm -r a'],
    ['IFS=:; x=rm:-r:a; $x', 'rm -r a'],
    ['a=(rm -r b); "${a[@]}"', 'rm -r b'],
    ['a=(x rm); ${a[1]} b', 'rm b'],
    ['set -- rm a; "$@"', 'rm a'],
    ['r$@m a', 'rm a'],
    ['${nothing:-rm} a', 'rm a'],
    ['x=name; name=rm; ${!x} a', 'rm a'],
    ['x=rXm; ${x/X/} a', 'rm a'],
    ['x=a.rm; ${x##*.} b', 'rm b'],
    ['x=rm.exe; ${x%.*} b', 'rm b'],
    ['x=xrmx; ${x:1:2} b', 'rm b'],
    ['x=RM; ${x,,} b', 'rm b'],
    ['x=r; x+=m; $x b', 'rm b'],
    ['read -r a b <<< "rm x y"; $a $b', 'rm x y'],
    ['printf -v c "r%s" m; $c a', 'rm a'],
    ['mapfile -t a <<< $\'rm\\nx\'; "${a[@]}"', 'rm x'],
    ['rm ~ ~/x "~" ~root', 'rm /home/dev /home/dev/x ~ /root'],
    ['rm $HOME/x ${PWD} ${HOME%/*}', 'rm /home/dev/x /projects/app /home'],
    ['rm "$UNSET" a$UNSET', 'rm ? a?'],
    ['$(echo rm) $(printf %s a)', 'rm a'],
    ['`echo rm` a', 'rm a'],
    ['$(which rm) a', 'rm a'],
    ['rm "$(ls)"', 'rm ?'],
    ['rm # comment', 'rm'],
    ['/bin/r? a', 'rm a'],
  ])('%s', (text, expected) => {
    expect(lastCommand(text)).toBe(expected);
  });

  it('knows which words are patterns and which parts are unknown', () => {
    const [command] = resolveCommand('rm *.js "*.ts" "$X/a"', guardContext()).commands;
    expect(command?.args.map(({ glob, known }) => ({ glob, known }))).toEqual([
      { glob: true, known: true },
      { glob: false, known: true },
      { glob: false, known: false },
    ]);
  });
});

describe('where a command runs', () => {
  it.each([
    ['cd src && ls', '/projects/app/src'],
    ['cd / ; cd etc; ls', '/etc'],
    ['cd; ls', '/home/dev'],
    ['(cd /etc); ls', '/projects/app'],
    ['cd /etc; cd -; ls', '/projects/app'],
    ['pushd /etc; popd; ls', '/projects/app'],
    ['cd missing || cd /etc; ls', '/projects/app/missing'],
    ['cd "$(git rev-parse --show-toplevel)"; ls', '/projects/app'],
    ['cd "$SOMEWHERE"; ls', null],
    ['git -C /etc status', '/etc'],
    ['docker exec web ls', null],
  ])('%s', (text, expected) => {
    expect(resolveCommand(text, guardContext()).commands.at(-1)?.cwd).toBe(expected);
  });
});

describe('wrappers are looked through', () => {
  it.each([
    ['sudo -u root rm a', 'sudo: rm a'],
    ['env -i A=b rm a', 'env: rm a'],
    ["env -S 'rm a'", 'env -S: rm a'],
    ['timeout -k 1 --signal=KILL 5 rm a', 'timeout: rm a'],
    ['nice -n 5 ionice -c 3 rm a', 'nice>ionice: rm a'],
    ['time rm a', 'time: rm a'],
    ['command rm a', 'command: rm a'],
    ['exec -a ls rm a', 'exec: rm a'],
    ['flock /tmp/lock rm a', 'flock: rm a'],
    ['npx -y rimraf@5 a', 'npx: rimraf a'],
    ['npm exec -- rimraf a', 'npm: rimraf a'],
    ['busybox rm a', 'busybox: rm a'],
    ['poetry run rm a', 'poetry: rm a'],
    ['docker run --rm -v a:b image rm /a', 'docker run: rm /a'],
    ['docker compose exec -T web rm /a', 'docker exec: rm /a'],
    ['kubectl exec -n x pod -- rm /a', 'kubectl exec: rm /a'],
    ['coproc rm a', 'coproc: rm a'],
  ])('%s', (text, expected) => {
    expect(lastCommand(text)).toBe(expected);
  });

  it.each(['command -v rm', 'sudo -l', 'npm install exec rm', 'echo sudo rm a'])('%s runs nothing else', (text) => {
    expect(commandsIn(text)).toHaveLength(1);
  });
});

describe('shell text is followed into', () => {
  it.each([
    ['bash --norc -lc "rm a"', 'bash -c: rm a'],
    [`sh -c '"$@"' sh rm a`, 'sh -c: rm a'],
    ['eval "r""m a"', 'eval: rm a'],
    ['echo rm a | sh', 'sh: rm a'],
    ['bash -s <<< "rm a"', 'bash: rm a'],
    ['sh <<E\nrm a\nE', 'sh: rm a'],
    ['bash <(echo rm a)', 'bash: rm a'],
    ['. /dev/stdin <<< "rm a"', '.: rm a'],
    ['echo rm a | tee >(sh)', 'echo rm a'],
    ['trap "rm a" EXIT', 'trap: rm a'],
    ['watch -n 1 rm a', 'watch: rm a'],
    ['ssh -p 22 host rm a', 'ssh: rm a'],
    ['su dev -c "rm a"', 'su -c: rm a'],
    ['parallel rm ::: a', 'parallel: rm a'],
    ['PROMPT_COMMAND="rm a"', 'PROMPT_COMMAND=: rm a'],
    ['alias x="rm -r"; x a', 'alias x: rm -r a'],
    ['tmux new -d "rm a"', 'tmux: rm a'],
    ['echo cm0gYQ== | base64 -d | sh', 'sh: rm a'],
    ['echo 726d2061 | xxd -r -p | sh', 'sh: rm a'],
    ['echo "a mr" | rev | sh', 'sh: rm a'],
    ['echo sn a | tr sn rm | sh', 'sh: rm a'],
    ['python3 -c "print(\'rm a\')" | sh', 'sh: rm a'],
    ['exec 3<<< "rm a"; sh <&3', 'sh: rm a'],
    ['echo "rm a" > x.sh; sh x.sh', 'sh: rm a'],
    ['echo "rm a" > x.sh; mv x.sh y.sh; ./y.sh', './y.sh>sh: rm a'],
    ['cat > Makefile <<E\nall:\n\trm a\nE\nmake', 'make: rm a'],
    ["git -c alias.z='!rm a' z", 'git -c: git z'],
    ["git config alias.z '!rm a'", 'git alias: rm a'],
    ["git rebase --exec 'rm a' main", 'git rebase: rm a'],
    ["tar cf x y --checkpoint-action=exec='rm a'", 'tar: rm a'],
    ["sed '1e rm a' b", 'sed e: rm a'],
    ['awk \'BEGIN { system("rm a") }\'', 'awk: rm a'],
    ["vim -c ':!rm a' b", 'vim !: rm a'],
    [String.raw`psql -c '\! rm a'`, 'psql !: rm a'],
  ])('%s', (text, expected) => {
    expect(commandsIn(text)).toContainEqual(expect.stringContaining(expected));
  });

  it.each([
    'echo "rm -rf /"',
    'git commit -m "rm -rf /; git push"',
    "grep -rn 'rm -rf' .",
    "cat > notes.md <<'E'\nrm -rf / $(reboot)\nE",
    'x="rm -rf /"',
    'jq \'.a = "rm -rf /"\' a.json',
  ])('%s only mentions it', (text) => {
    expect(commandsIn(text)).toHaveLength(1);
  });
});

describe('what is found or read becomes arguments', () => {
  it.each([
    ["find . -name '*.log' -exec rm {} +", 'find -exec: rm ./?*.log'],
    ['find . -type f -exec rm {} \\;', 'find -exec: rm .'],
    ['find /etc -newer a -delete', 'find -delete: rm -rf /etc/?'],
    ['echo a b | xargs rm', 'xargs: rm a b'],
    ['echo a | xargs -I{} rm x/{}', 'xargs: rm x/a'],
    ["find src -name '*.log' | xargs -0 rm", 'xargs: rm src/?*.log'],
    ['ls | xargs rm', 'xargs: rm ./*'],
    ['ls | grep x | xargs rm', 'xargs: rm ./?'],
    ['fd log src -x rm', 'fd -x: rm src/?'],
    ['for x in a b; do rm $x; done', 'rm b'],
    ['f() { rm "$1"; }; f a', 'f(): rm a'],
    ['printf "a\\nb\\n" | while read -r x; do rm "$x"; done', 'rm b'],
  ])('%s', (text, expected) => {
    expect(lastCommand(text)).toBe(expected);
  });
});

describe('pipelines', () => {
  it('say who reads what', () => {
    const [curl, shell] = resolveCommand('curl -s https://example.org | sudo bash', guardContext()).commands;
    expect(curl?.pipesTo).toBe('bash');
    expect(shell?.input).toEqual({ kind: 'pipe', from: curl });
  });

  it.each(['sh -c "$(curl x)"', 'eval "$(curl x)"', 'bash <(curl x)', 'x=$(curl x); eval "$x"', 'curl -o a x; sh ./a'])(
    '%s reads what curl prints',
    (text) => {
      const last = resolveCommand(text, guardContext()).commands.at(-1);
      expect(last?.input).toMatchObject({ kind: 'pipe', from: { name: 'curl' } });
    },
  );

  it('give known text to what reads it', () => {
    const last = resolveCommand('echo "select 1" | psql', guardContext()).commands.at(-1);
    expect(last?.input).toEqual({ kind: 'text', text: 'select 1\n', known: true });
  });
});
