import type { ErrorEntry } from './entry.ts';

/** KX7030–KX7049: building from source through the Go module proxy. */
export const artifactGoErrors = {
  KX7030: {
    exit: 1,
    title: { en: '{what} cannot be built: {reason}', zh: '无法构建 {what}：{reason}' },
    remedy: {
      en: 'See the last lines of the compiler above. The recipe is in data/catalog under builds; another version or another source may do.',
      zh: '请查看上面编译器的最后几行输出。构建方法见 data/catalog 中的 builds；可换用其他版本或其他来源。',
    },
  },
  KX7031: {
    exit: 5,
    title: { en: 'the Go module proxy cannot be reached: {reason}', zh: '无法连接 Go 模块代理：{reason}' },
    remedy: {
      en: 'Check GOPROXY (now {proxy}), HTTPS_PROXY and NO_PROXY. What was downloaded already is kept.',
      zh: '请检查 GOPROXY（当前为 {proxy}）、HTTPS_PROXY 和 NO_PROXY。已下载的内容会保留。',
    },
  },
  KX7032: {
    exit: 5,
    title: { en: 'the Go module proxy does not have {what}: {reason}', zh: 'Go 模块代理没有 {what}：{reason}' },
    remedy: {
      en: 'Choose a version that it has (docs/artifacts.md, “Versions that a proxy lacks”), or another proxy in GOPROXY (now {proxy}).',
      zh: '请选择代理已有的版本（见 docs/artifacts.md 的 “Versions that a proxy lacks”），或在 GOPROXY 中换用其他代理（当前为 {proxy}）。',
    },
  },
  KX7033: {
    exit: 1,
    title: {
      en: '{what} is not what the Go checksum database knows: {reason}',
      zh: '{what} 与 Go 校验和数据库中的记录不符：{reason}',
    },
    remedy: {
      en: 'Something between here and its origin changes or damages files. Do not use them; contact the operator of the proxy in GOPROXY (now {proxy}).',
      zh: '从源头到本机的途中有内容被更改或损坏，请勿使用。请联系 GOPROXY（当前为 {proxy}）的管理者。',
    },
  },
  KX7034: {
    exit: 5,
    title: { en: '{what} cannot be verified: {reason}', zh: '无法验证 {what}：{reason}' },
    remedy: {
      en: 'The Go checksum database must be reachable through the proxy in GOPROXY or directly, and know this version. GOSUMDB names another one; GOPRIVATE and GONOSUMDB except nothing unless the source go has unverified: true.',
      zh: '必须能通过 GOPROXY 中的代理或直接访问 Go 校验和数据库，且其中有该版本。可用 GOSUMDB 指定其他数据库；除非来源 go 设置了 unverified: true，否则 GOPRIVATE 与 GONOSUMDB 不会免除验证。',
    },
  },
  KX7035: {
    exit: 1,
    title: { en: 'no space is left while {what} is built', zh: '构建 {what} 时磁盘空间不足' },
    remedy: {
      en: 'Free some gigabytes in {places}; go clean -cache empties the cache of the compiler.',
      zh: '请在 {places} 中释放数 GB 空间；go clean -cache 可清空编译缓存。',
    },
  },
  KX7036: {
    exit: 4,
    title: {
      en: '{what} needs C libraries and a C compiler that this machine does not have: {missing}',
      zh: '{what} 需要本机没有的 C 库和 C 编译器：{missing}',
    },
    remedy: {
      en: 'Install them under the names that this system has for the packages of Debian: {packages}',
      zh: '请安装（以下为 Debian 的软件包名，其他系统名称可能不同）：{packages}',
    },
  },
  KX7037: {
    exit: 4,
    title: {
      en: '{what} for {arch} needs C, and this machine ({machine}) has no cross toolchain for it: {missing}',
      zh: '{arch} 的 {what} 需要 C，而本机（{machine}）没有相应的交叉编译工具：{missing}',
    },
    remedy: {
      en: 'Run kubexm on a machine with {arch}, take another source, or install: apt-get install {packages} (dpkg --add-architecture {arch} first)',
      zh: '请在 {arch} 机器上运行 kubexm，换用其他来源，或安装：apt-get install {packages}（先运行 dpkg --add-architecture {arch}）',
    },
  },
  KX7038: {
    exit: 1,
    title: {
      en: 'the program {program} that was built is not right: {reason}',
      zh: '构建出的程序 {program} 不正确：{reason}',
    },
    remedy: {
      en: 'Its recipe in data/catalog needs cgo: false, or -extldflags -static with the tags netgo and osusergo.',
      zh: '其在 data/catalog 中的构建方法应为 cgo: false，或使用 -extldflags -static 及标签 netgo 和 osusergo。',
    },
  },
  KX7039: {
    exit: 4,
    title: { en: 'there is no Go that can build {what}: {reason}', zh: '没有可构建 {what} 的 Go：{reason}' },
    remedy: {
      en: 'Install Go {version} or later, or make a module proxy reachable that has golang.org/toolchain (GOPROXY).',
      zh: '请安装 Go {version} 或更高版本，或提供含有 golang.org/toolchain 的模块代理（GOPROXY）。',
    },
  },
  KX7040: {
    exit: 1,
    title: {
      en: 'the compiler was killed while it built {what}; most likely there is not enough memory',
      zh: '构建 {what} 时编译器被终止，很可能是内存不足',
    },
    remedy: {
      en: 'Kubernetes takes about 4 GB. Free memory, or build less at once with GOFLAGS=-p=1.',
      zh: '构建 Kubernetes 约需 4 GB 内存。请释放内存，或用 GOFLAGS=-p=1 减少并行构建。',
    },
  },
  KX7042: {
    exit: 4,
    title: {
      en: 'programs have to be built from source, and this machine lacks {missing}',
      zh: '需要从源码构建程序，而本机缺少 {missing}',
    },
    remedy: {
      en: 'Nothing was downloaded or built yet. Install all of it with one command, then try again: {command}',
      zh: '尚未下载或构建任何内容。请用一条命令全部安装，然后重试：{command}',
    },
  },
  KX7043: {
    exit: 4,
    title: {
      en: 'programs have to be built from source, and this machine cannot have {missing}',
      zh: '需要从源码构建程序，而本机无法安装 {missing}',
    },
    remedy: {
      en: 'Nothing was downloaded or built yet. Run kubexm on Debian or Ubuntu, or name a source that has the finished files in spec.artifacts.sources: upstream, a mirror or a bundle.',
      zh: '尚未下载或构建任何内容。请在 Debian 或 Ubuntu 上运行 kubexm，或在 spec.artifacts.sources 中指定已有成品文件的来源：upstream、镜像站或离线包。',
    },
  },
  KX7044: {
    exit: 4,
    title: {
      en: 'the artifacts take about {needed}, and {path} has {free} left',
      zh: '制品约需 {needed}，而 {path} 仅剩 {free}',
    },
    remedy: {
      en: 'Nothing was downloaded or built yet. Free some space (kubexm prune artifacts, go clean -cache), or set KUBEXM_HOME to a directory on a larger disk.',
      zh: '尚未下载或构建任何内容。请释放空间（kubexm prune artifacts、go clean -cache），或将 KUBEXM_HOME 设为更大磁盘上的目录。',
    },
  },
  KX7045: {
    exit: 4,
    title: {
      en: '{setting}: nobody would vouch for the Go modules that programs are built from',
      zh: '{setting}：构建程序所用的 Go 模块将无人担保',
    },
    remedy: {
      en: 'Unset it, or name a checksum database that can be reached (GOSUMDB). To build without verification all the same, set unverified: true for the source go in spec.artifacts.sources, or KUBEXM_SOURCES=upstream,go=unverified.',
      zh: '请取消该设置，或用 GOSUMDB 指定可访问的校验和数据库。若仍要在不验证的情况下构建，请在 spec.artifacts.sources 中为来源 go 设置 unverified: true，或使用 KUBEXM_SOURCES=upstream,go=unverified。',
    },
  },
  KX7041: {
    exit: 1,
    title: { en: 'no recipe builds {program} from {what}', zh: '没有从 {what} 构建 {program} 的方法' },
    remedy: {
      en: 'Name it under builds in data/catalog, or take another source.',
      zh: '请在 data/catalog 的 builds 中添加，或换用其他来源。',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
