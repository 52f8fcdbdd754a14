/** A machine that nobody has used: a Debian with what the README asks for, and how it comes by Node and Go. */
export interface Variant {
  readonly name: string;
  /** Debian's name of the release. */
  readonly release: 'bookworm' | 'trixie';
  /** Besides the smallest Debian. */
  readonly packages: readonly string[];
  /** Runs in it once, before it is kept. */
  readonly prepare?: string;
}

const README = ['ca-certificates', 'git', 'npm'] as const;

/** A Node of today with its own npm, as those who do not take Debian's install it. */
const CURRENT_NODE = `
cd /tmp
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --prefix /tmp/current node-linux-${process.arch}@24 npm@11
mkdir -p /usr/local/lib/node_modules
cp -r current/node_modules/npm /usr/local/lib/node_modules/
cp current/node_modules/node-linux-${process.arch}/bin/node /usr/local/bin/
ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
rm -rf current /root/.npm
apt-get -qq purge --yes npm nodejs
apt-get -qq autoremove --yes --purge
`;

/** The machines that the README's two commands are tried on. */
export const VARIANTS = [
  { name: 'debian-12', release: 'bookworm', packages: README },
  { name: 'debian-12-go', release: 'bookworm', packages: [...README, 'golang-go'] },
  { name: 'debian-13', release: 'trixie', packages: README },
  { name: 'current-node', release: 'bookworm', packages: README, prepare: CURRENT_NODE },
] as const satisfies readonly Variant[];
