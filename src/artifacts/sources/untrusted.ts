/** Codes of errors that say that a server's certificate is not trusted: of a web server, of a registry. */
export const UNTRUSTED: readonly string[] = ['KX7071', 'KX7106'];
