import type { AnyStep } from '../../plan/step.ts';
import { certificate } from './certificate.ts';
import { certificateAuthority } from './certificate-authority.ts';
import { checksum } from './checksum.ts';
import { clientKubeconfig } from './client-kubeconfig.ts';
import { checkedCommand, command } from './command.ts';
import { copy } from './copy.ts';
import { directory } from './directory.ts';
import { download } from './download.ts';
import { encryptionConfig } from './encryption-config.ts';
import { extract } from './extract.ts';
import { fetch } from './fetch.ts';
import { file } from './file.ts';
import { firewall } from './firewall.ts';
import { gatherFacts } from './gather-facts.ts';
import { hostname } from './hostname.ts';
import { image } from './image.ts';
import { kernelModule } from './kernel-module.ts';
import { keyPair } from './key-pair.ts';
import { kubeObjects } from './kube-objects.ts';
import { managedBlock } from './managed-block.ts';
import { message } from './message.ts';
import { mode } from './mode.ts';
import { onceCommand } from './once-command.ts';
import { packageHold } from './package-hold.ts';
import { packages } from './packages.ts';
import { packagesUndoneHere } from './packages-undo.ts';
import { query } from './query.ts';
import { reboot, rebootIfNeeded } from './reboot.ts';
import { remove } from './remove.ts';
import { reportTable } from './report-table.ts';
import { resolver } from './resolver.ts';
import { selinux } from './selinux.ts';
import { service } from './service.ts';
import { daemonReload } from './service-reload.ts';
import { restartWhenUndone } from './service-undo.ts';
import { sleep } from './sleep.ts';
import { swap } from './swap.ts';
import { symlink } from './symlink.ts';
import { sysctl } from './sysctl.ts';
import { timezone } from './timezone.ts';
import { upload } from './upload.ts';
import { uploads } from './uploads.ts';
import { user } from './user.ts';
import { group } from './user-group.ts';
import { userInput } from './user-input.ts';
import { waitForCommand } from './wait-for-command.ts';
import { waitForHttp } from './wait-for-http.ts';
import { waitForPort } from './wait-for-port.ts';

export type { Cell, ReportTable } from '../../model/text/table.ts';
export type { Certificate, Certified } from './certificate.ts';
export type { Authority, CertificateAuthority } from './certificate-authority.ts';
export type { Checksum, Digested } from './checksum.ts';
export type { ClientKubeconfig } from './client-kubeconfig.ts';
export type { CheckedCommand, Command, CommandResult, CommandRetry } from './command.ts';
export type { Copy } from './copy.ts';
export type { Directory } from './directory.ts';
export type { Download } from './download.ts';
export type { EncryptionConfig } from './encryption-config.ts';
export type { Extract } from './extract.ts';
export type { Fetch } from './fetch.ts';
export type { File } from './file.ts';
export type { Firewall, FirewallResult, FirewallRule } from './firewall.ts';
export type { GatherFacts } from './gather-facts.ts';
export type { Hostname } from './hostname.ts';
export type { Image } from './image.ts';
export type { KernelModules, LoadedModules } from './kernel-module.ts';
export type { KeptKeyPair, KeyPair } from './key-pair.ts';
export { KUBECTL, type KubeObjects } from './kube-objects.ts';
export type { Content } from './lib/content.ts';
export type { Kept } from './lib/kept.ts';
export type { Manifest, ObjectPatch } from './lib/kube-manifest.ts';
export type { ManagedBlock } from './managed-block.ts';
export type { Message } from './message.ts';
export type { Mode } from './mode.ts';
export type { OnceCommand } from './once-command.ts';
export type { PackageHold } from './package-hold.ts';
export type { Packages, PackageVersion } from './packages.ts';
export type { Query } from './query.ts';
export type { Reboot } from './reboot.ts';
export type { Remove } from './remove.ts';
export type { Resolver, ResolverResult } from './resolver.ts';
export type { Selinux, SelinuxResult } from './selinux.ts';
export type { Service } from './service.ts';
export type { DaemonReload } from './service-reload.ts';
export type { RestartWhenUndone } from './service-undo.ts';
export type { Sleep } from './sleep.ts';
export type { Swap } from './swap.ts';
export type { Symlink } from './symlink.ts';
export type { SetSettings, Sysctl } from './sysctl.ts';
export type { Timezone } from './timezone.ts';
export type { Upload } from './upload.ts';
export type { Uploads } from './uploads.ts';
export type { User } from './user.ts';
export type { Group } from './user-group.ts';
export type { UserInput } from './user-input.ts';
export type { WaitForCommand } from './wait-for-command.ts';
export type { WaitForHttp } from './wait-for-http.ts';
export type { WaitForPort } from './wait-for-port.ts';
export {
  certificate,
  certificateAuthority,
  checkedCommand,
  checksum,
  clientKubeconfig,
  command,
  copy,
  daemonReload,
  directory,
  download,
  encryptionConfig,
  extract,
  fetch,
  file,
  firewall,
  gatherFacts,
  group,
  hostname,
  image,
  kernelModule,
  keyPair,
  kubeObjects,
  managedBlock,
  message,
  mode,
  onceCommand,
  packageHold,
  packages,
  packagesUndoneHere,
  query,
  reboot,
  rebootIfNeeded,
  remove,
  reportTable,
  resolver,
  restartWhenUndone,
  selinux,
  service,
  sleep,
  swap,
  symlink,
  sysctl,
  timezone,
  upload,
  uploads,
  user,
  userInput,
  waitForCommand,
  waitForHttp,
  waitForPort,
};

/** Every generic step, by kind: for the step reference and for the contract test. */
export const genericSteps: readonly AnyStep[] = [
  certificate,
  certificateAuthority,
  checkedCommand,
  checksum,
  clientKubeconfig,
  command,
  copy,
  daemonReload,
  directory,
  download,
  encryptionConfig,
  extract,
  fetch,
  file,
  firewall,
  gatherFacts,
  group,
  hostname,
  image,
  kernelModule,
  keyPair,
  kubeObjects,
  managedBlock,
  message,
  mode,
  onceCommand,
  packageHold,
  packages,
  packagesUndoneHere,
  query,
  reboot,
  rebootIfNeeded,
  remove,
  reportTable,
  resolver,
  restartWhenUndone,
  selinux,
  service,
  sleep,
  swap,
  symlink,
  sysctl,
  timezone,
  upload,
  uploads,
  user,
  userInput,
  waitForCommand,
  waitForHttp,
  waitForPort,
].map((step): AnyStep => step.definition);
