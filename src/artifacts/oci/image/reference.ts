import { kubexmError } from '../../../model/errors/index.ts';
import { type Digest, isDigest } from '../content/digest.ts';

/** Where an image is: a registry, a repository in it, and a tag, a digest or both. */
export interface Reference {
  /** `registry.k8s.io`, `127.0.0.1:5000`. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: Digest;
}

const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::[0-9]{1,5})?$/;

/** Reads a name as docker and containerd do: without a registry it is Docker Hub's, without a tag and a digest `latest`. */
export function parseReference(text: string): Reference {
  const wrong = (reason: string) => kubexmError('KX7101', { reference: text, reason });
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) throw wrong(`${digest} is no digest`);
  const named = at < 0 ? text : text.slice(0, at);
  // A colon behind the last slash begins a tag; one before it, a port.
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  if (tag !== undefined && !TAG.test(tag)) throw wrong(`${tag} is no tag`);
  const { registry, repository } = placed(colon < 0 ? named : named.slice(0, colon));
  if (!HOST.test(registry)) throw wrong(`${registry} is no registry`);
  if (repository.length > 255 || !REPOSITORY.test(repository)) throw wrong(`${repository} is no repository`);
  return {
    registry,
    repository,
    ...(tag === undefined ? (digest === undefined ? { tag: 'latest' } : {}) : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The full name, as containerd keeps it. */
export function formatReference({ registry, repository, tag, digest }: Reference): string {
  return `${registry}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

function placed(name: string): { readonly registry: string; readonly repository: string } {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  if (first === 'localhost' || /[.:]/.test(first)) return { registry: first, repository: name.slice(slash + 1) };
  return { registry: 'docker.io', repository: slash < 0 ? `library/${name}` : name };
}
