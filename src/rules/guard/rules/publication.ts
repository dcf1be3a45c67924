import type { GuardCategory } from '../api.ts';
import { shapes } from './matching/shape.ts';

export const publication: GuardCategory = {
  id: 'publication',
  title: 'Publishing',
  rules: [
    {
      id: 'publication/package',
      reason: 'This publishes a package, or changes or withdraws a published one.',
      alternative: 'Try it with --dry-run or pack, and leave publishing to the person.',
      profiles: ['run'],
      matches: shapes(
        'npm|pnpm|bun|cnpm publish|pub|unpublish|deprecate|stage',
        'npm|pnpm dist-tag add|rm|set',
        'npm|pnpm owner|access|team|org add|rm|grant|revoke|set|public|restricted|create|destroy',

        'npm|yarn|pnpm login|adduser|logout',
        'npm token|profile revoke|create|set',
        'yarn publish',
        'yarn npm publish|tag|login|logout',

        'cargo publish|yank|login',
        'cargo owner -a|--add|-r|--remove',
        'cargo release --execute|-x',
        'cargo workspaces publish',

        'twine upload|register',
        'python|python3|py twine|flit|poetry|hatch upload|publish',
        'poetry|uv|hatch|flit|pdm|rye|maturin publish|upload',
        'python|python3 setup.py upload|register',

        'gem push|yank|owner',
        'rake release|gem:release',
        'bundle exec rake release',
        'mvn|mvnw|./mvnw deploy|release:*|*:deploy',
        'gradle|gradlew publish*|upload*|*:publish*',

        'sbt publish*|release',
        'lein deploy',
        'dotnet nuget push|delete',
        'nuget push|delete',
        'mix hex.publish|hex.retire',
        'dart|flutter pub publish|lish',
        'pod trunk|repo push|delete|deprecate',

        'deno publish',
        'jsr publish',
        'helm push|cm-push',
        'conan upload',
        'luarocks upload',
        'cpan-upload *',
        'stack upload',
        'cabal upload',
        'opam publish',

        'vsce|ovsx publish|unpublish',
        'web-ext sign',
        'chrome-webstore-upload|cws *',
        'expo|eas publish|submit',
        'fastlane *',
        'snapcraft upload|push|release',
        'conda|anaconda upload',

        'lerna publish',
        'changeset|changesets publish',
        'semantic-release',
        'release-it|np',
        'nx release',
        'goreleaser release',
        'jfrog|jf rt u|upload',
        'huggingface-cli|hf upload',
      ),
      examples: {
        block: [
          'npm publish',
          'npm --registry https://r.example.org publish',
          'pnpm publish -r',
          'cargo publish',
          'twine upload dist/*',
          'gem push a.gem',
          'npm unpublish pkg@1.0.0 --force',
          'poetry publish --build',
        ],
        allow: [
          'npm publish --dry-run',
          'npm pack',
          'cargo package --list',
          'npm view react version',
          'npx changeset status',
        ],
      },
    },
    {
      id: 'publication/image',
      reason: 'This publishes an image or a release.',
      alternative: 'Build it locally, and leave publishing to the person.',
      profiles: ['run'],
      matches: shapes(
        'docker|podman|nerdctl|buildah push',
        'docker|podman image|manifest|compose push',
        'docker|podman buildx|build --push',
        'docker buildx build --push',

        'docker|podman|helm|crane|skopeo|oras|buildah login|logout',
        'helm registry login',
        'skopeo copy|delete|sync',
        'crane|oras|regctl push|copy|delete',
        'cosign sign|attest',
        'ko publish|apply|resolve',

        'docker-compose push',
        'gh|hub release create|upload|edit',
        'glab release create|upload',
        'hub release edit',
      ),
      examples: {
        block: [
          'docker push example/app:1',
          'docker buildx build --push -t example/app .',
          'gh release create v1.0.0 --generate-notes',
        ],
        allow: ['docker build -t app .', 'docker pull node:22', 'gh release view v1.0.0'],
      },
    },
  ],
};
