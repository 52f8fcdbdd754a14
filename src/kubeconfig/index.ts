export { hearFetched } from './fetched.ts';
export {
  checkMerge,
  forgetKubeconfig,
  type KubeconfigPlace,
  type KubeconfigUser,
  kubeconfigOf,
  mergeKubeconfig,
  type Unmerged,
  unmergeKubeconfig,
  userKubeconfig,
} from './merged.ts';
