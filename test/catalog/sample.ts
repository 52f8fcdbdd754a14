/** A small component that is valid, to be spoilt by tests. */
export const SAMPLE = `# Why it is as it is.
component: sample
title: Sample
group: tool
upstream: https://example.org/sample
versions:
  - 1.0.0
  - 1.9.0 # the last one of its kind
  - "1.10"
kubernetes:
  - { range: ">=1.30 <1.35", accepts: "*", default: "1.9.0" }
  - { range: ">=1.35 <1.37", accepts: ">=1.10", default: "1.10" }
files:
  - name: sample
    kind: archive
    from: https://example.org/v{version}
    file: sample-{arch}.tgz
    arch: [amd64, arm64]
    checksum: { file: "{file}.sha256", form: digest }
    programs: { sample: bin/sample }
images:
  - name: image
    repository: quay.io/example/sample
    tag: v{version}
    made: { programs: [sample], entrypoint: [/sample] }
builds:
  - style: module
    modules: [example.org/sample]
    programs: { sample: example.org/sample/cmd/sample }
`;

/** A list of Kubernetes versions for the sample to fit. */
export const KUBERNETES = `component: kubernetes
title: Kubernetes
group: kubernetes
upstream: https://example.org/kubernetes
versions: [1.34.0, 1.34.2, 1.36.0]
images:
  - { name: kube-proxy, repository: registry.k8s.io/kube-proxy, tag: "v{version}" }
`;

/** The sample with parts of its text replaced, each of which must be there. */
export function spoilt(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the sample does not contain ${from}`);
    return text.replace(from, to);
  }, SAMPLE);
}
