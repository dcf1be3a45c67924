/** What engines say when something of this machine stands in their way, and what helps. */
const WAYS: readonly { readonly said: RegExp; readonly helps: string }[] = [
  {
    said: /newuidmap|newgidmap|subuid|subgid|insufficient (UIDs|GIDs)|not enough IDs/i,
    helps:
      'give yourself a range of ids: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER"; podman system migrate',
  },
  {
    said: /docker: .*(permission denied|connect: permission)/i,
    helps:
      'Docker lets only its group in, whose members are as good as root; Podman and rootless Docker need no rights',
  },
  {
    said: /docker: .*(cannot connect|does not answer|no answer)/i,
    helps: 'start the daemon: sudo systemctl start docker',
  },
  {
    said: /cannot clone|userns|user namespaces?.*(denied|permitted|disabled)/i,
    helps: 'allow user namespaces: sudo sysctl user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1',
  },
  {
    said: /CONTAINER_HOST|its daemon is at/,
    helps: 'unset DOCKER_HOST and CONTAINER_HOST: only an engine of this machine will do',
  },
];

/** Ways out of why engines do not work; none when nothing but installing one helps. Pure. */
export function mendEngine(reasons: readonly string[]): readonly string[] {
  return WAYS.filter(({ said }) => reasons.some((reason) => said.test(reason))).map(({ helps }) => helps);
}
