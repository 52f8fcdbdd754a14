// The process of a lab that serves packages. Its only argument is the file with its settings.
import { readFileSync } from 'node:fs';
import { type RepositoryConfig, repositoryServer } from './serve.ts';

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RepositoryConfig;
repositoryServer(config).listen(config.port, config.address);
