/** A configuration and what must be said about it. */
export interface Case {
  readonly name: string;
  readonly text: string;
  /** The code that must be among the problems. */
  readonly code: string;
  /** The text that must be underlined. */
  readonly mark?: string;
  /** Parts that title and remedy must contain. */
  readonly says?: readonly string[];
}

/** A small configuration that loads without a problem. */
export const BASE = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata:
  name: demo
spec:
  hosts:
    - {name: node1, address: 172.16.0.2}
    - {name: node2, address: 172.16.0.3}
    - {name: node3, address: 172.16.0.4}
  roleGroups:
    master: [node1]
    worker: [node2, node3]
  kubernetes:
    version: v1.34.2
  etcd:
    type: kubeadm
`;

/** The small configuration with parts of its text replaced, each of which must be there. */
export function changed(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example does not contain ${from}`);
    return text.replace(from, to);
  }, BASE);
}

/** The small configuration with more sections under `spec`. */
export function plus(spec: string, ...edits: readonly (readonly [from: string, to: string])[]): string {
  const indented = spec.replace(/^(?=.)/gm, '  ').trimEnd();
  return `${changed(...edits)}${indented}\n`;
}

/** One case. */
export function bad(code: string, name: string, text: string, mark?: string, ...says: readonly string[]): Case {
  return { code, name, text, ...(mark === undefined ? {} : { mark }), ...(says.length > 0 ? { says } : {}) };
}
