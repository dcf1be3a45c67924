export type PackageManager = 'apt' | 'dnf' | 'pacman' | 'zypper' | 'apk' | 'xbps' | 'portage';

/** What installs packages on a distribution of Linux. */
export interface Installer {
  readonly manager: PackageManager;
  /** Without `sudo` and the packages. */
  readonly command: string;
}

/** By what `ID` and `ID_LIKE` of os-release(5) name. */
const INSTALLERS: readonly (readonly [distributions: readonly string[], installer: Installer])[] = [
  [['debian', 'ubuntu'], { manager: 'apt', command: 'apt-get install' }],
  [['fedora', 'rhel', 'centos', 'amzn'], { manager: 'dnf', command: 'dnf install' }],
  [['arch'], { manager: 'pacman', command: 'pacman -S' }],
  [['suse', 'opensuse'], { manager: 'zypper', command: 'zypper install' }],
  [['alpine'], { manager: 'apk', command: 'apk add' }],
  [['void'], { manager: 'xbps', command: 'xbps-install' }],
  [['gentoo'], { manager: 'portage', command: 'emerge' }],
];

/** @param distributions the system's own name first, then what it is like; null for one that is not known */
export function installerFor(distributions: readonly string[]): Installer | null {
  for (const one of distributions) {
    const found = INSTALLERS.find(([names]) => names.some((name) => one === name || one.startsWith(`${name}-`)));
    if (found) return found[1];
  }
  return null;
}
