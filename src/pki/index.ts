export {
  authorityFault,
  certificateFaults,
  servedChain,
  type WantedCertificate,
} from './judge.ts';
export { canSign, describeKey, generateKey, publicKeyOf, readPrivateKey } from './keys.ts';
export { kubeconfigText } from './kubeconfig.ts';
export { makeAuthority, makeCertificate } from './make.ts';
export { bundleOf, type Chain, certificatesIn, pemOf } from './pem.ts';
export { readCertificate } from './read.ts';
export type { CertificateSpec } from './subject.ts';
