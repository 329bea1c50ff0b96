// C++ names: a namespace, an overload, a template, a lambda, a virtual function.
#include <cstdio>

namespace shop {

volatile unsigned long sum;

struct Till {
    virtual ~Till() = default;
    virtual void add(unsigned long rounds) const = 0;
};

struct Loud final : Till {
    __attribute__((noinline)) void add(unsigned long rounds) const override {
        for (unsigned long i = 0; i < rounds; i++)
            sum += i; // here: add
        sum++;
    }
};

template <typename T> __attribute__((noinline)) void each(const Till *till, T body) {
    body(till); // here: each
    sum++;
}

__attribute__((noinline)) void run(const Till *till) {
    each(till, [](const Till *t) __attribute__((noinline)) {
        t->add(100000); // here: lambda
        sum++;
    });
    sum++;
}

} // namespace shop

int main() {
    std::puts("ready");
    std::fflush(stdout);
    const shop::Till *till = new shop::Loud;
    for (;;)
        shop::run(till); // here: main
}
