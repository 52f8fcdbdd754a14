/**
 * haproxy in front of the API servers. Idle connections are normal (watches, exec, port-forward), so they live for hours; those to a
 * master that fails its check are closed, so that clients connect to another one at once. Without `maxconn` haproxy would reserve
 * memory for as many connections as the limit of open files allows; with one that is above this limit it does not start.
 */
export const haproxyConfig = `# Written by kubexm.
global
    log {{log}} local0 notice
    maxconn {{connections}}
{{account}}
defaults
    mode tcp
    log global
    option dontlognull
    option clitcpka
    option srvtcpka
    option redispatch 1
    retries 2
    timeout connect 2s
    timeout check 2s
    timeout client {{idle}}
    timeout server {{idle}}

frontend api
{{binds}}
    default_backend masters

backend masters
    balance leastconn
    option httpchk GET /readyz
    http-check expect status 200
    default-server check check-ssl verify none inter 3s fastinter 1s downinter 2s fall 2 rise 1 on-marked-down shutdown-sessions
{{servers}}

frontend health
    mode http
    timeout client 5s
    bind {{health}}
    monitor-uri /healthz
{{monitor}}`;
