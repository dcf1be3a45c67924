export {
  addressRefusal,
  authorityText,
  canonicalAddress,
  canonicalHost,
  type Endpoint,
  endpointOf,
  type HostPattern,
  isIpLiteral,
  isLoopback,
  type Match,
  matches,
  parseAuthority,
  parseHostPattern,
} from './hosts.ts';
export { type HostTool, installerFor, type PackageManager } from './missing-tools.ts';
export { namesFile, REGISTRY_FILES } from './registries.ts';
export { ECOSYSTEMS } from './registry-table.ts';
