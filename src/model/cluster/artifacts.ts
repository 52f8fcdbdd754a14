import { z } from 'zod';
import { choice, line, list, marked, secret, section, textWhere } from './field.ts';
import { isRegistryHost } from './names.ts';
import { sha256, url } from './text.ts';

/** `registry.example.com:5000/proxy` */
const registryPlace = () =>
  textWhere((text) => {
    const [host = '', ...path] = text.split('/');
    return isRegistryHost(host) && path.every((part) => /^[a-z0-9][a-z0-9._-]*$/.test(part));
  }, 'KX2330');

const source = marked(
  z.strictObject({
    type: choice(['bundle', 'directory', 'mirror', 'upstream', 'zone', 'go']).describe(
      'bundle: an offline bundle. directory: files. mirror: a private mirror. upstream: the projects themselves. ' +
        'zone: regional mirrors. go: built from source through the Go module proxy.',
    ),
    path: line().optional().describe('Of the bundle or directory, on the machine kubexm runs on.'),
    sha256: sha256().optional().describe('Digest of the bundle.'),
    url: url().optional().describe('Of the mirror.'),
    registry: registryPlace()
      .optional()
      .describe('Registry of the mirror, with a path where all images are below one. Default: the host of the url.'),
    caFile: line()
      .optional()
      .describe(
        'Certificates of authorities to trust beside the usual ones, in PEM: of a private mirror, or of a proxy that opens TLS on the way to upstream or a zone.',
      ),
    plainHTTP: z
      .boolean()
      .optional()
      .describe(
        'Use what the mirror sends over plain HTTP even if neither the catalog nor the project has a digest of it.',
      ),
    unverified: z
      .boolean()
      .optional()
      .describe('Of go: build also with modules that the checksum database of Go does not vouch for (GOSUMDB=off).'),
    username: line().optional().describe('User of the mirror.'),
    password: secret().optional().describe('Password of the mirror.'),
  }),
  { shorthand: 'type' },
);

/** `spec.artifacts`. */
export const artifactsSchema = section({
  sources: list(source).describe('Where files and images come from, in this order. Default: upstream, else go.'),
  zone: choice(['', 'cn']).default('').describe('Region whose mirrors are used; the environment variable KMZONE wins.'),
}).describe('Where binaries, images and packages come from.');
