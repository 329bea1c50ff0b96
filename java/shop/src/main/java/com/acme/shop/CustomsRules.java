package com.acme.shop;

import java.util.regex.Pattern;
import org.springframework.stereotype.Component;

/** Tells from an article's number whether customs must be paid. */
@Component
class CustomsRules {
    private static final String NUMBER = "(?:[A-M][A-Z]|X\\d)-(\\d{3}[02468])(?:-(?:EU|US|JP|[a-z]+))?";
    private static final Pattern PATTERN = Pattern.compile(NUMBER);

    boolean apply(String sku) {
        if (Faults.on("regex-compile")) return sku.matches(NUMBER); // [call regex-compile]
        return PATTERN.matcher(sku).matches();
    }
}
