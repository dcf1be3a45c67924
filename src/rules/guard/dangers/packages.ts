import type { GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasWord, operands, optionValues, textsOf } from '../options.ts';
import { viaTask } from '../shell/carriers/runners.ts';
import { namesIn } from '../tables.ts';
import { isLocalHost } from './matching/network.ts';
import { anyOf, forPrograms, isRehearsal } from './matching/shape.ts';

/** Programs that publish with a word of this family: `poetry publish`, `mkdocs gh-deploy`, `lerna publish`. */
const PUBLISHERS =
  'npm|pnpm|yarn|bun|cnpm|cargo|twine|flit|poetry|hatch|uv|pdm|rye|maturin|deno|jsr|opam|vsce|ovsx|expo|eas|lerna|nx|changeset|changesets|conan|luarocks|stack|cabal|conda|anaconda|mkdocs|mike|hexo|docusaurus|quarto|ng|lein';

/** What runs tasks that a project names. Their names say what they do, not where to. */
const TASK_RUNNERS =
  'gradle gradlew mvn mvnw sbt mill lein npm pnpm yarn bun make gmake just task rake nx turbo grunt gulp ant';

/** The words of a task's name: `publish`, `to`, `maven`, `local` of `:lib:publishToMavenLocal`. */
function wordsOfTask(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

const PUBLISHING = /^(publish|publication|deploy|upload|pages|ghpages)$/;
/** What is built for a release, kept on this machine, or only looked at. */
const STAYS_HERE =
  /^(local|localhost|m2|snapshot|dry|check|test|tests|e2e|preview|plan|diff|notes|changelog|docs?|lint|verify|validate|status|config|build|assemble|bundle|install|compile|package|types|clean|undeploy)$/;

function isPublication(task: string, releases: boolean): boolean {
  const words = wordsOfTask(task);
  if (words.some((word) => STAYS_HERE.test(word))) return false;
  return words.some((word) => PUBLISHING.test(word)) || (releases && words.includes('release'));
}

/** `gradle publishPlugins`, `mvn -q deploy`, `npm run deploy:gh-pages`, `make publish`. */
const runsPublication = forPrograms(TASK_RUNNERS, (command, _context, script) => {
  if (isRehearsal(command) || hasWord(command, /^-DaltDeploymentRepository=.*file:|^--?(dry|snapshot)/)) return false;
  const words = textsOf(operands(command));
  const manages = /^(npm|pnpm|yarn|bun)$/.test(command.name);
  // Copies a package of the work space to a folder.
  if (command.name === 'pnpm' && words[0] === 'deploy') return false;
  const tasks = manages ? (/^run(-script)?$/.test(words[0] ?? '') ? words.slice(1, 2) : words.slice(0, 1)) : words;
  const releases = !/^(make|gmake|just|task|rake|ant)$/.test(command.name);
  const isKnown = (task: string) => script.some(({ via }) => via.includes(viaTask(command.name, task)));
  return tasks.some((task) => !task.includes('=') && isPublication(task, releases) && !isKnown(task));
});

export const publication: GuardRules = {
  'publication/package': {
    reason: 'This publishes a package, or changes or withdraws a published one.',
    alternative: 'Try it with --dry-run or pack, and leave publishing to the user.',
    profiles: ['run'],
    matches: anyOf(
      `${PUBLISHERS} publish|pub|unpublish|upload|register|yank|submit|stage|deprecate|login|logout`,
      runsPublication,
      'mkdocs|mike|hexo|docusaurus|ng deploy|gh-deploy',
      'cpan-upload|chrome-webstore-upload|cws|fastlane *',
      'ghp-import -p|--push',
      'npm|pnpm dist-tag add|rm|set',
      'npm|pnpm owner|access|team|org add|rm|grant|revoke|set|public|restricted|create|destroy',
      'npm|yarn|pnpm adduser',
      'npm token|profile revoke|create|set',
      'yarn npm publish|tag|login|logout',
      'cargo owner -a|--add|-r|--remove',
      'cargo release --execute|-x',
      'cargo workspaces publish',
      'python|python3|py twine|flit|poetry|hatch|setup.py|mkdocs upload|publish|register|gh-deploy',
      forPrograms(
        'python py',
        (command) => hasWord(command, /^(.*\/)?setup\.py$/) && hasWord(command, /^(upload|register)$/),
      ),
      'gem|nuget|helm push|yank|owner|delete|cm-push',
      'dotnet nuget push|delete',
      'mix hex.publish|hex.retire',
      'dart|flutter pub publish|lish',
      'pod trunk|repo push|delete|deprecate',
      'snapcraft|goreleaser push|upload|release',
      'web-ext sign',
      'jfrog|jf rt u|upload',
      'rake release',
      'mvn|mvnw|gradle|gradlew jib:build|jib',
      'swift package-registry publish',
      'auto shipit|release',
      'surge *',
      'huggingface-cli|hf upload',
      forPrograms('gh-pages angular-cli-ghpages np semantic-release release-it', (command) => !isRehearsal(command)),
    ),
  },
  'publication/image': {
    reason: 'This publishes an image or a release.',
    alternative: 'Build it locally, and leave publishing to the user.',
    profiles: ['run'],
    matches: anyOf(
      forPrograms('docker podman nerdctl', (command) => hasWord(command, /\btype=registry\b|\bpush=true\b/)),
      'docker trust sign',
      'docker|podman|nerdctl|buildah|docker-compose push',
      'docker|podman image|manifest|compose push',
      'docker|podman buildx|build --push',
      'docker|podman|helm|crane|skopeo|oras|buildah login|logout',
      'helm registry login',
      'skopeo|crane|oras|regctl push|copy|delete|sync',
      'cosign sign|attest',
      'ko publish|apply|resolve',
      'gh|hub release create|upload|edit',
      'glab release create|upload',
    ),
  },
};

/** Hosts from which the ecosystems serve their packages. */
const KNOWN_SOURCES =
  /^(git\+)?https:\/\/([\w.-]+@)?(registry\.(npmjs\.org|yarnpkg\.com)|npm\.(jsr\.io|pkg\.github\.com)|(test\.)?pypi\.org|files\.pythonhosted\.org|download\.pytorch\.org|rubygems\.org|index\.rubygems\.org|(static\.)?crates\.io|index\.crates\.io|proxy\.golang\.org|sum\.golang\.org|repo1?\.maven\.org|repo\.maven\.apache\.org|plugins\.gradle\.org|packagist\.org|repo\.packagist\.org|api\.nuget\.org|deb\.debian\.org|archive\.ubuntu\.com|[\w-]+\.pkg\.dev|pkgs\.dev\.azure\.com)(\/|:|$)/i;

const MANAGERS =
  /^(npm|pnpm|yarn|bun|npx|pnpx|bunx|pip[\d.]*|pipx|uv|uvx|poetry|pdm|conda|mamba|gem|bundle|cargo|go|composer|nuget|dotnet|easy_install|apt|apt-get|brew|helm)$/;

function isForeignSource(text: string): boolean {
  return /^(git\+)?(https?|ftp|ssh|git):\/\//i.test(text) && !KNOWN_SOURCES.test(text) && !isLocalHost(text);
}

/** Another registry or index, for this command only. */
const usesForeignIndex: GuardTest = (command) => {
  const program = packageManager(command);
  if (program === null) return false;
  const options = namesIn(
    'i index-url extra-index-url index default-index registry f find-links source repository-url r requirement',
  );
  const named = textsOf(optionValues(program, ...options));
  const assigned = command.assignments
    .filter(({ name }) =>
      /^(npm_config_registry|PIP_(EXTRA_)?INDEX_URL|UV_(EXTRA_|DEFAULT_)?INDEX(_URL)?|YARN_REGISTRY|GOPROXY|GONOSUMDB|BUNDLE_MIRROR\w*)$/i.test(
        name,
      ),
    )
    .map(({ value }) => value.text);
  return [...named, ...assigned].some(isForeignSource);
};

/** The call of a package manager, including `python -m pip`; null for any other program. */
function packageManager(command: SimpleCommand): Pick<SimpleCommand, 'name' | 'args'> | null {
  if (MANAGERS.test(command.name)) return command;
  const [option, module] = command.args;
  const asModule =
    /^python[\d.]*$/.test(command.name) && option?.text === '-m' && /^(pip|uv|poetry)$/.test(module?.text ?? '');
  return asModule ? { name: module?.text ?? '', args: command.args.slice(2) } : null;
}

/** A package from an address that is neither a registry nor a well-known repository host. */
const installsAddress: GuardTest = (command) => {
  const program = packageManager(command);
  if (program === null) return false;
  const [verb = '', ...packages] = operands(program).map(({ text }) =>
    text.replace(/^@?[\w./-]+@(?=(https?|git)\b)/, ''),
  );
  if (!/^(i|in|install|add|isntall|ci|get|exec|x|dlx|tool|create|init)$/.test(verb)) return false;
  return packages.some(
    (name) =>
      isForeignSource(name) &&
      !/^(git\+)?(https|ssh):\/\/(git@|www\.)?(github|gitlab|codeberg|bitbucket)\.(com|org)\//.test(name),
  );
};

/** A permanent change of a registry, a proxy or a package check. */
const changesSource = forPrograms('npm pnpm yarn bun pip gem helm apt-add-repository add-apt-repository', (command) => {
  const words = textsOf(operands(command));
  const text = words.join(' ').replaceAll('=', ' ');
  if (/^(npm|pnpm|yarn|bun)$/.test(command.name)) {
    const [source = ''] = /https?:\S+/.exec(text) ?? [];
    return (
      /^(config|c|set) /.test(text) &&
      /\b(set )?\S*registry(server)?\b/i.test(text) &&
      source !== '' &&
      isForeignSource(source)
    );
  }
  if (/^pip[\d.]*$/.test(command.name)) return /^config set .*(index-url|trusted-host|find-links)/.test(text);
  return /^(gem|helm|apt-add-repository|add-apt-repository)$/.test(command.name) && changesOther(command, words);
});

function changesOther(command: SimpleCommand, words: readonly string[]): boolean {
  if (command.name === 'gem') return words[0] === 'sources' && hasWord(command, /^(-a|--add)$/);
  return /-repository$/.test(command.name);
}

export const supplyChain: GuardRules = {
  'supply-chain/foreign-source': {
    reason: 'This installs packages from an unknown source.',
    alternative: "Use the project's registry and a declared version.",
    matches: anyOf(usesForeignIndex, installsAddress),
  },
  'supply-chain/changed-source': {
    reason: 'This changes where packages come from, for every later install.',
    alternative: "Leave the project's registry as it is.",
    matches: changesSource,
  },
  'supply-chain/unchecked': {
    reason: 'This switches off the protection against tampered downloads.',
    alternative: 'Leave the checks on and report what fails.',
    matches: anyOf(
      'npm|pnpm|yarn config set strict-ssl|ignore-scripts false',
      'npm|pnpm|yarn config set strict-ssl=false|ignore-scripts=false',
      'pip|pip3 install --trusted-host',
      'apt-get|apt install --allow-unauthenticated|--force-yes',
      'go env -w',
      (command) =>
        /^(npm|npx|pnpm|yarn|node|git|go)$/.test(command.name) &&
        command.assignments.some(
          ({ name, value }) =>
            (/^(NODE_TLS_REJECT_UNAUTHORIZED|npm_config_strict_ssl)$/i.test(name) && /^(0|false)$/.test(value.text)) ||
            (/^(GIT_SSL_NO_VERIFY|GONOSUMCHECK|GONOSUMDB|GOINSECURE)$/.test(name) && value.text !== '') ||
            (name === 'GOSUMDB' && value.text === 'off') ||
            (name === 'GOFLAGS' && value.text.includes('-insecure')),
        ),
    ),
  },
};
