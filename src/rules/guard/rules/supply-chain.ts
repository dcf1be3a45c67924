import type { GuardCategory, GuardTest, SimpleCommand } from '../api.ts';
import { operands, optionValues } from '../flags.ts';
import { isLocalHost } from './matching/places.ts';
import { shapes } from './matching/shape.ts';
import { anyOf, forPrograms } from './matching/tests.ts';

/** Hosts from which the ecosystems serve their packages. */
const KNOWN_SOURCES =
  /^(git\+)?https:\/\/([\w.-]+@)?(registry\.(npmjs\.org|yarnpkg\.com)|npm\.(jsr\.io|pkg\.github\.com)|(test\.)?pypi\.org|files\.pythonhosted\.org|download\.pytorch\.org|rubygems\.org|index\.rubygems\.org|(static\.)?crates\.io|index\.crates\.io|proxy\.golang\.org|sum\.golang\.org|repo1?\.maven\.org|repo\.maven\.apache\.org|plugins\.gradle\.org|packagist\.org|repo\.packagist\.org|api\.nuget\.org|deb\.debian\.org|archive\.ubuntu\.com|[\w-]+\.pkg\.dev|pkgs\.dev\.azure\.com)(\/|:|$)/i;

const MANAGERS =
  /^(npm|pnpm|yarn|bun|npx|pnpx|bunx|pip[\d.]*|pipx|uv|uvx|poetry|pdm|conda|mamba|gem|bundle|cargo|go|composer|nuget|dotnet|easy_install|apt|apt-get|brew|helm)$/;

function isForeignSource(text: string): boolean {
  return /^(git\+)?(https?|ftp|ssh|git):\/\//i.test(text) && !KNOWN_SOURCES.test(text) && !isLocalHost(text);
}

/** Another registry or index for this command. */
const usesForeignIndex: GuardTest = (command) => {
  const program = packageManager(command);
  if (program === null) return false;
  const options = [
    'i',
    'index-url',
    'extra-index-url',
    'index',
    'default-index',
    'registry',
    'f',
    'find-links',
    'source',
    'repository-url',
  ];
  const named = optionValues(program, ...options).map((word) => word.text);
  const assigned = command.assignments
    .filter(({ name }) =>
      /^(npm_config_registry|PIP_(EXTRA_)?INDEX_URL|UV_(EXTRA_|DEFAULT_)?INDEX(_URL)?|YARN_REGISTRY|GOPROXY|GONOSUMDB|BUNDLE_MIRROR\w*)$/i.test(
        name,
      ),
    )
    .map(({ value }) => value.text);
  return [...named, ...assigned].some(isForeignSource);
};

/** The call of a package manager, `python -m pip` among them; null for any other program. */
function packageManager(command: SimpleCommand): Pick<SimpleCommand, 'name' | 'args'> | null {
  if (MANAGERS.test(command.name)) return command;
  const [option, module] = command.args;
  const asModule =
    /^python[\d.]*$/.test(command.name) && option?.text === '-m' && /^(pip|uv|poetry)$/.test(module?.text ?? '');
  return asModule ? { name: module?.text ?? '', args: command.args.slice(2) } : null;
}

/** A package from an address that is neither a registry nor a well-known host of repositories. */
const installsAddress: GuardTest = (command) => {
  const program = packageManager(command);
  if (program === null) return false;
  const [verb = '', ...packages] = operands(program, ['registry', 'index-url', 'i', 'r', 'c', 'requirement']).map(
    (word) => word.text,
  );
  if (!/^(i|in|install|add|isntall|ci|get|exec|x|dlx|tool)$/.test(verb)) return false;
  return packages.some(
    (name) =>
      isForeignSource(name) &&
      !/^(git\+)?(https|ssh):\/\/(git@|www\.)?(github|gitlab|codeberg|bitbucket)\.(com|org)\//.test(name),
  );
};

/** A registry, a proxy or a check on packages changed for good. */
const changesSource = forPrograms('npm pnpm yarn bun pip gem helm apt-add-repository add-apt-repository', (command) => {
  const words = operands(command).map((word) => word.text);
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
  if (command.name === 'gem')
    return words[0] === 'sources' && command.args.some(({ text }) => /^(-a|--add)$/.test(text));
  return /-repository$/.test(command.name);
}

export const supplyChain: GuardCategory = {
  id: 'supply-chain',
  title: 'Where dependencies come from',
  rules: [
    {
      id: 'supply-chain/foreign-source',
      reason: 'This takes packages from a place nobody has vetted.',
      alternative: "Use the project's registry and a declared version.",
      matches: anyOf(usesForeignIndex, installsAddress),
      examples: {
        block: [
          'pip install --index-url http://pypi.example.org/simple x',
          'npm install https://example.org/x.tgz',
          'npm i --registry=http://r.example.org left-pad',
          'python3 -m pip install --extra-index-url https://i.example.org/s x',
          'PIP_INDEX_URL=http://i.example.org pip install x',
        ],
        allow: [
          'npm install',
          'pip install -r requirements.txt',
          'npm i --registry=https://registry.npmjs.org left-pad',
          'npm i --registry http://localhost:4873 mine',
          'npm install -D vitest',
        ],
      },
    },
    {
      id: 'supply-chain/changed-source',
      reason: 'This changes where packages come from, for every later install.',
      alternative: "Leave the project's registry as it is.",
      matches: changesSource,
      examples: {
        block: [
          'npm config set registry http://r.example.org',
          'yarn config set npmRegistryServer https://r.example.org',
          'pip config set global.index-url http://i.example.org',
          'gem sources --add http://g.example.org',
        ],
        allow: ['npm config get registry', 'npm config set fund false', 'gem sources --list'],
      },
    },
    {
      id: 'supply-chain/unchecked',
      reason: 'This switches off what protects downloads from being tampered with.',
      alternative: 'Leave the checks on and report what fails.',
      matches: anyOf(
        shapes('npm|pnpm|yarn config set strict-ssl false', 'npm|pnpm|yarn config set strict-ssl=false'),
        shapes(
          'pip|pip3 install --trusted-host',
          'apt-get|apt install --allow-unauthenticated|--force-yes',
          'go env -w',
        ),
        (command) =>
          /^(npm|npx|pnpm|yarn|node|git|go)$/.test(command.name) &&
          command.assignments.some(
            ({ name, value }) =>
              (/^(NODE_TLS_REJECT_UNAUTHORIZED|npm_config_strict_ssl)$/i.test(name) &&
                /^(0|false)$/.test(value.text)) ||
              (/^(GIT_SSL_NO_VERIFY|GONOSUMCHECK|GOINSECURE)$/.test(name) && value.text !== ''),
          ),
      ),
      examples: {
        block: [
          'npm config set strict-ssl false',
          'pip install --trusted-host i.example.org x',
          'NODE_TLS_REJECT_UNAUTHORIZED=0 npm install',
          'apt-get install --allow-unauthenticated x',
        ],
        allow: ['npm config get strict-ssl', 'npm install --ignore-scripts', 'go env GOPROXY'],
      },
    },
  ],
};
