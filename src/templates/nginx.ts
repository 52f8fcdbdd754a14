/**
 * nginx in front of the API servers. Where its stream module is a file of its own, one of the two first lines loads it; elsewhere they
 * match nothing. Idle connections are normal (watches, exec, port-forward), so they live for hours.
 */
export const nginxConfig = `# Written by kubexm.
include /etc/nginx/modules-enabled/*.conf;
include /usr/share/nginx/modules/*.conf;
{{account}}
worker_processes {{workers}};
worker_rlimit_nofile {{files}};
pid /run/nginx.pid;
error_log stderr warn;

events {
    worker_connections {{connections}};
}

stream {
    upstream masters {
        least_conn;
{{servers}}
    }

    server {
{{listens}}
        proxy_pass masters;
        proxy_connect_timeout 2s;
        proxy_timeout {{idle}};
        proxy_socket_keepalive on;
    }

    server {
        listen {{health}};
        return "ok\\n";
    }
}
`;
