// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import { describe, expect, it } from 'vitest';
import { effectsOf } from './effects.ts';

function effects(language: string, code: string): readonly string[] {
  return effectsOf(code, language, '/home/dev').map((effect) => {
    if (effect.kind !== 'argv') return `${effect.kind}: ${effect.code.text}`;
    const redirects = effect.redirects?.map(({ operator, target }) => `${operator} ${target.text}`) ?? [];
    return [...effect.words.map((word) => word.text), ...redirects].join(' ');
  });
}

describe('a program in another language comes out as shell', () => {
  it.each([
    ['python', 'import os; os.system("rm " + "a")', 'shell: rm a'],
    ['python', 'subprocess.run(["rm", "a"], check=True)', 'rm a'],
    ['python', 'subprocess.run("rm a".split())', 'rm a'],
    ['python', 'os.execvp("rm", ["rm", "a"])', 'rm a'],
    ['python', 'shutil.rmtree(os.path.expanduser("~/x"))', 'rm -rf /home/dev/x'],
    ['python', 'shutil.rmtree(os.path.join(os.environ["HOME"], "x"))', 'rm -rf /home/dev/x'],
    ['python', '(Path.home() / "x").unlink()', 'rm -f /home/dev/x'],
    ['python', 'Path("x").write_text("y")', 'printf > x'],
    ['python', 'open("x", mode="w")', 'printf > x'],
    ['python', 'print(open("x").read())', 'cat x'],
    ['python', 'd = "x"\nos.remove(d)', 'rm -f x'],
    ['python', 'os.system(f"rm {1} a")', 'shell: rm 1 a'],
    ['python', '__import__("os").system("rm a")', 'shell: rm a'],
    ['python', 'getattr(os, "sys" + "tem")("rm a")', 'shell: rm a'],
    ['python', 'exec(base64.b64decode("eCgp"))', 'language: x()'],
    ['javascript', 'require("fs").rmSync("x", { recursive: true })', 'rm -rf x'],
    ['javascript', 'fs.unlinkSync(path.join(os.homedir(), "x"))', 'rm -f /home/dev/x'],
    ['javascript', 'cp["exec" + "Sync"](`rm a`)', 'shell: rm a'],
    ['javascript', 'spawn("rm", ["-r", "a"])', 'rm -r a'],
    ['javascript', 'new Deno.Command("rm", { args: ["a"] })', 'rm a'],
    ['javascript', 'import("fs").then((fs) => fs.writeFileSync("x", "y"))', 'printf > x'],
    ['perl', 'system("rm", "a");', 'rm a'],
    ['perl', 'unlink "x", "y"', 'rm -f x y'],
    ['perl', '`rm a`', 'shell: rm a'],
    ['perl', 'open(F, ">x")', 'printf > x'],
    ['ruby', 'FileUtils.rm_rf(Dir.home)', 'rm -rf /home/dev'],
    ['ruby', '%x(rm a)', 'shell: rm a'],
    ['php', 'shell_exec("rm a");', 'shell: rm a'],
    ['python', 'from os import system as s; s("rm a")', 'shell: rm a'],
    ['javascript', 'const r = require("fs").rmSync; r("x")', 'rm -f x'],
    ['python', 'print("x y")', 'echo x y'],
    ['python', 'os.chdir("a")', 'cd a'],
    ['python', 'psycopg2.connect("").cursor().execute("TRUNCATE t")', 'psql -c TRUNCATE t'],
    ['python', 'import sqlite3; sqlite3.connect("a.db").execute("DROP TABLE t")', 'sqlite3 a.db DROP TABLE t'],
    ['javascript', 'require("redis").createClient().flushAll()', 'redis-cli FLUSHALL'],
    ['javascript', 'require("aws-sdk"); s3.deleteBucket({ Bucket: "b" })', 'aws sdk delete-resources'],
    ['python', '[os.remove(f) for f in glob.glob("/srv/*")]', 'rm -rf /srv/*'],
    ['python', 'for d in ["a", "b"]: shutil.rmtree(d)', 'rm -rf b'],
    ['javascript', '["a", "b"].forEach((d) => fs.rmSync(d, { recursive: true }))', 'rm -rf b'],
    ['python', '[os.system(c) for c in ("ls", "rm a")]', 'shell: rm a'],
    ['python', 'shutil.rmtree(Path.cwd().parent)', 'rm -rf ./..'],
    ['python', 'print(Path.home().joinpath(".netrc").read_text())', 'cat /home/dev/.netrc'],
    ['python', '[os.remove(os.path.join(d, f)) for d, _, fs in os.walk("..") for f in fs]', 'rm -rf ..'],
    ['ruby', 'puts "x"', 'echo x'],
    ['lua', 'os.execute("rm a")', 'shell: rm a'],
    ['c', 'Command::new("rm").arg("-r").args(["a", "b"]).status()', 'rm -r a b'],
    ['c', 'let mut c = Command::new("rm"); c.arg("a");', 'rm a'],
    ['c', 'new ProcessBuilder("rm", "a").start()', 'rm a'],
  ])('%s: %s', (language, code, expected) => {
    expect(effects(language, code)).toContain(expected);
  });

  it.each([
    ['python', '# os.system("rm a")'],
    ['python', 'items.remove("x")'],
    ['python', 'app.run("rm a")'],
    ['javascript', '/rm (.*)/.exec("rm -rf /")'],
    ['javascript', '// execSync("rm a")'],
    ['javascript', 'constructor("x"); toString(); __proto__("y")'],
  ])('%s: %s does nothing', (language, code) => {
    expect(effects(language, code)).toEqual([]);
  });

  it('takes code that nests deeper than a stack', () => {
    for (const piece of ['(', '[', '-', 'a=', 'f(', '"a"', '{a:']) {
      expect(() => effects('javascript', piece.repeat(20_000))).not.toThrow();
    }
  });
});
