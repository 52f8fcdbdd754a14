export {
  checkMerge,
  type KubeconfigPlace,
  type KubeconfigUser,
  kubeconfigOf,
  mergeKubeconfig,
  type Unmerged,
  unmergeKubeconfig,
  userKubeconfig,
} from './merged.ts';
