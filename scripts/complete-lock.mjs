// Some registries mirror only the platforms their users have. npm then leaves the other platforms' optional
// packages out of the lock file, and `npm ci` refuses the file as out of sync. This names them again, by the
// version their parent asks for, so that one lock file installs everywhere. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  aix: 'aix',
  win32: 'win32',
  windows: 'win32',
  wasm32: 'wasm32',
  wasi: 'wasm32',
};
const processors = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'mips64el', 'loong64', 'wasm32'];

const added = [];
for (const parent of Object.values({ ...lock.packages })) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key]) continue;
    const words = name.split(/[/-]/);
    const os = words.map((word) => systems[word]).find(Boolean);
    if (!os) continue;
    const cpu = processors.find((one) => words.includes(one)) ?? 'unknown';
    lock.packages[key] = {
      version: version.replace(/^[~^]/, ''),
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      os: [os === 'wasm32' ? 'wasi' : os],
      cpu: [cpu],
      ...(words.includes('musl') || words.includes('musleabihf') ? { libc: ['musl'] } : {}),
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} packages of other platforms named in package-lock.json`);
