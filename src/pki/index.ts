export {
  authorityFault,
  certificateFaults,
  isSignedBy,
  servedChain,
  type WantedCertificate,
} from './judge.ts';
export { describeKey, generateKey, isKeyOf, publicKeyOf, readPrivateKey } from './keys.ts';
export { type KubeconfigSpec, kubeconfigText } from './kubeconfig.ts';
export { makeAuthority, makeCertificate } from './make.ts';
export { bundleOf, type Chain, certificatesIn, pemOf } from './pem.ts';
export { readCertificate } from './read.ts';
export type { CertificateSpec, Subject, Usage } from './subject.ts';
