// Test files share processes. Node loads TLS when it is first used; a test that makes that load fail (no stack left, say) would leave
// it half loaded for every file after it. So it is loaded here, before any test.
import 'node:https';
import 'node:tls';
