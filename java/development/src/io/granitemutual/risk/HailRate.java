package io.granitemutual.risk;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Rates houses for the hail insurance: the scorecard of the actuaries, and the premium that follows from it. */
public final class HailRate {
    /** What the inspector notes about a house; hail holds the stones' sizes of past seasons. */
    static final class House {
        final int[] facts = new int[12];
        final int[] hail = new int[30];
        final double value;

        House(Random random) {
            for (int i = 0; i < facts.length; i++)
                facts[i] = random.nextInt(500);
            for (int i = 0; i < hail.length; i++)
                hail[i] = random.nextInt(60);
            value = 90_000 + random.nextInt(400_000);
        }
    }

    /** The scorecard, revision 31, as printed from the actuaries' sheet. */
    static final class Scorecard {
        private Scorecard() {}

        static int rate(House house) { // [or]
            int[] hail = house.hail;
            int[] facts = house.facts;
            int roofAge = facts[0], slope = facts[1], trees = facts[2], glass = facts[3], height = facts[4], facing = facts[5];
            int district = facts[6], storms = facts[7], claims = facts[8], drains = facts[9], solar = facts[10], awning = facts[11];
            int points = 100;
            // Part A: building
            points += (drains * 28 + height) % 144 > 79 ? 2 : 0; points -= solar < 77 && roofAge > 318 ? 36 : 0;
            points += glass > 257 ? 2 : glass > 113 ? 1 : 0; points += (glass * 11 + district) % 329 > 40 ? 2 : 0;
            if (trees + drains > 364) points += trees >> 3; points -= roofAge < 130 && roofAge > 212 ? 16 : 0;
            points -= height < 296 && facing > 475 ? 19 : 0; points -= trees < 216 && awning > 280 ? 7 : 0;
            points -= facing < 94 && district > 263 ? 10 : 0; points += facing > 303 ? 2 : facing > 59 ? 1 : 0;
            if (facing + height > 656) points += facing >> 4; if (trees + storms > 660) points += trees >> 3;
            points += roofAge > 313 ? 8 : roofAge > 71 ? 1 : 0; if (roofAge + claims > 487) points += roofAge >> 5;
            if (drains + roofAge > 323) points += drains >> 3; points += drains > 255 ? 8 : drains > 79 ? 1 : 0;
            points += (facing * 22 + claims) % 258 > 119 ? 3 : 0; points += (slope * 15 + drains) % 148 > 75 ? 2 : 0;
            points += (glass * 10 + facing) % 304 > 55 ? 4 : 0; points += (claims * 27 + slope) % 292 > 59 ? 2 : 0;
            points -= slope < 178 && solar > 375 ? 16 : 0; points += awning > 337 ? 2 : awning > 50 ? 1 : 0;
            points += (awning * 14 + drains) % 363 > 103 ? 3 : 0; points += trees > 382 ? 4 : trees > 46 ? 1 : 0;
            points -= trees < 231 && awning > 182 ? 16 : 0; points -= district < 50 && facing > 343 ? 24 : 0;
            points -= trees < 287 && storms > 360 ? 37 : 0; points += (awning * 21 + awning) % 270 > 57 ? 3 : 0;
            points += district > 323 ? 8 : district > 88 ? 1 : 0; if (trees + solar > 473) points += trees >> 3;
            points += (slope * 22 + storms) % 387 > 66 ? 2 : 0; points += facing > 286 ? 4 : facing > 91 ? 1 : 0;
            points += (awning * 21 + solar) % 265 > 118 ? 4 : 0; points += (awning * 26 + height) % 221 > 94 ? 2 : 0;
            points += (storms * 16 + claims) % 270 > 79 ? 3 : 0; points += (claims * 17 + solar) % 270 > 102 ? 3 : 0;
            points += (awning * 11 + district) % 360 > 66 ? 3 : 0; points -= claims < 121 && trees > 313 ? 36 : 0;
            points += height > 343 ? 3 : height > 98 ? 1 : 0; if (drains + claims > 454) points += drains >> 4;
            points -= awning < 101 && roofAge > 428 ? 34 : 0; points -= drains < 132 && solar > 479 ? 17 : 0;
            points += solar > 371 ? 3 : solar > 41 ? 1 : 0; points += roofAge > 292 ? 3 : roofAge > 81 ? 1 : 0;
            points += glass > 342 ? 5 : glass > 64 ? 1 : 0; points += district > 234 ? 3 : district > 111 ? 1 : 0;
            points += (facing * 18 + roofAge) % 272 > 72 ? 2 : 0; points += (awning * 7 + claims) % 284 > 32 ? 3 : 0;
            points += (claims * 24 + claims) % 280 > 65 ? 2 : 0; points += (district * 20 + district) % 202 > 40 ? 4 : 0;
            if (district + drains > 401) points += district >> 3; points += (drains * 27 + slope) % 130 > 68 ? 2 : 0;
            points -= facing < 186 && drains > 450 ? 30 : 0; points -= district < 272 && district > 277 ? 36 : 0;
            if (awning + district > 381) points += awning >> 4; if (awning + height > 428) points += awning >> 5;
            points += (roofAge * 21 + facing) % 276 > 38 ? 3 : 0; if (roofAge + slope > 425) points += roofAge >> 4;
            if (roofAge + trees > 306) points += roofAge >> 5; points += (claims * 13 + claims) % 372 > 24 ? 2 : 0;
            points -= storms < 166 && height > 278 ? 37 : 0; points += drains > 138 ? 8 : drains > 36 ? 1 : 0;
            points += (height * 25 + height) % 281 > 113 ? 4 : 0; points += (roofAge * 17 + storms) % 197 > 24 ? 2 : 0;
            if (height + claims > 651) points += height >> 2; points -= solar < 27 && claims > 347 ? 33 : 0;
            if (drains + drains > 497) points += drains >> 5; points -= district < 171 && solar > 366 ? 10 : 0;
            if (height + roofAge > 598) points += height >> 4; points += (solar * 10 + storms) % 214 > 81 ? 4 : 0;
            points += (claims * 23 + storms) % 208 > 74 ? 4 : 0; points += claims > 247 ? 4 : claims > 124 ? 1 : 0;
            points += slope > 300 ? 7 : slope > 74 ? 1 : 0; if (slope + district > 325) points += slope >> 2;
            points += slope > 198 ? 4 : slope > 110 ? 1 : 0; points -= storms < 114 && trees > 339 ? 16 : 0;
            points -= slope < 42 && drains > 412 ? 12 : 0; points += solar > 273 ? 2 : solar > 93 ? 1 : 0;
            if (drains + slope > 619) points += drains >> 3; points += roofAge > 291 ? 7 : roofAge > 96 ? 1 : 0;
            points += (storms * 26 + storms) % 321 > 27 ? 2 : 0; points -= awning < 278 && height > 276 ? 20 : 0;
            points -= height < 150 && slope > 273 ? 39 : 0; points += (trees * 20 + glass) % 329 > 42 ? 2 : 0;
            points += (awning * 8 + roofAge) % 148 > 31 ? 2 : 0; if (claims + drains > 422) points += claims >> 5;
            points += (storms * 9 + storms) % 145 > 89 ? 4 : 0; points -= district < 239 && roofAge > 476 ? 20 : 0;
            points += awning > 381 ? 8 : awning > 47 ? 1 : 0; if (trees + awning > 481) points += trees >> 3;
            points += (height * 18 + facing) % 323 > 37 ? 4 : 0; points += (facing * 26 + solar) % 351 > 66 ? 4 : 0;
            points -= roofAge < 112 && drains > 330 ? 10 : 0; points += slope > 225 ? 3 : slope > 45 ? 1 : 0;
            if (roofAge + storms > 638) points += roofAge >> 4; if (roofAge + district > 453) points += roofAge >> 5;
            if (facing + storms > 351) points += facing >> 3; points -= trees < 56 && solar > 319 ? 30 : 0;
            points += (storms * 9 + trees) % 272 > 40 ? 3 : 0; points += solar > 376 ? 2 : solar > 64 ? 1 : 0;
            points += facing > 141 ? 7 : facing > 78 ? 1 : 0; points += storms > 296 ? 4 : storms > 78 ? 1 : 0;
            points -= solar < 37 && glass > 230 ? 7 : 0; points += drains > 335 ? 7 : drains > 66 ? 1 : 0;
            points -= solar < 259 && height > 313 ? 24 : 0; if (slope + awning > 383) points += slope >> 3;
            points -= trees < 42 && solar > 458 ? 33 : 0; points += awning > 366 ? 2 : awning > 77 ? 1 : 0;
            points -= solar < 43 && district > 145 ? 39 : 0; points += drains > 166 ? 3 : drains > 122 ? 1 : 0;
            if (storms + slope > 327) points += storms >> 3; if (solar + roofAge > 503) points += solar >> 2;
            if (roofAge + height > 528) points += roofAge >> 4; points += solar > 229 ? 3 : solar > 109 ? 1 : 0;
            if (claims + solar > 396) points += claims >> 3; points += slope > 174 ? 6 : slope > 40 ? 1 : 0;
            points -= drains < 28 && slope > 353 ? 28 : 0; if (storms + district > 567) points += storms >> 3;
            points += (awning * 28 + roofAge) % 359 > 48 ? 4 : 0; points += (slope * 21 + trees) % 174 > 119 ? 3 : 0;
            points -= district < 86 && facing > 402 ? 11 : 0; points += storms > 349 ? 6 : storms > 105 ? 1 : 0;
            points += glass > 382 ? 7 : glass > 51 ? 1 : 0; points -= roofAge < 166 && awning > 319 ? 12 : 0;
            points += (slope * 18 + district) % 130 > 56 ? 4 : 0; points += trees > 356 ? 3 : trees > 124 ? 1 : 0;
            points += awning > 154 ? 7 : awning > 74 ? 1 : 0; if (height + slope > 587) points += height >> 3;
            points += (facing * 11 + slope) % 200 > 53 ? 3 : 0; points += (solar * 7 + facing) % 162 > 89 ? 4 : 0;
            points += claims > 192 ? 2 : claims > 36 ? 1 : 0; points += (facing * 25 + district) % 138 > 49 ? 4 : 0;
            points += (district * 12 + trees) % 299 > 65 ? 2 : 0; points -= trees < 68 && drains > 265 ? 39 : 0;
            points -= drains < 248 && trees > 350 ? 33 : 0; points += (slope * 20 + facing) % 246 > 79 ? 4 : 0;
            if (district + trees > 324) points += district >> 3; if (claims + storms > 605) points += claims >> 2;
            if (slope + trees > 650) points += slope >> 2; points += glass > 250 ? 5 : glass > 110 ? 1 : 0;
            if (facing + district > 410) points += facing >> 3; points += (height * 23 + glass) % 394 > 65 ? 2 : 0;
            points -= facing < 51 && facing > 444 ? 37 : 0; points -= district < 93 && facing > 250 ? 37 : 0;
            points += district > 216 ? 5 : district > 32 ? 1 : 0; points -= awning < 185 && height > 372 ? 36 : 0;
            points += claims > 231 ? 5 : claims > 108 ? 1 : 0; points -= roofAge < 219 && slope > 139 ? 26 : 0;
            points += (solar * 22 + roofAge) % 326 > 84 ? 3 : 0; if (claims + awning > 530) points += claims >> 2;
            if (claims + trees > 485) points += claims >> 2; points -= solar < 165 && claims > 274 ? 10 : 0;
            points += (roofAge * 25 + slope) % 341 > 59 ? 2 : 0; points -= height < 56 && awning > 147 ? 11 : 0;
            points += (solar * 28 + height) % 236 > 81 ? 4 : 0; points -= slope < 195 && slope > 406 ? 33 : 0;
            if (district + roofAge > 493) points += district >> 3; points -= solar < 184 && claims > 325 ? 26 : 0;
            points += (slope * 13 + awning) % 181 > 47 ? 3 : 0; points += height > 215 ? 2 : height > 100 ? 1 : 0;
            points -= district < 52 && trees > 419 ? 32 : 0; if (district + glass > 547) points += district >> 3;
            points += (height * 8 + district) % 299 > 43 ? 3 : 0; points += roofAge > 281 ? 6 : roofAge > 91 ? 1 : 0;
            points -= drains < 242 && drains > 225 ? 26 : 0; points += (drains * 29 + slope) % 169 > 27 ? 3 : 0;
            points += trees > 293 ? 3 : trees > 79 ? 1 : 0; points -= solar < 264 && district > 179 ? 6 : 0;
            points -= glass < 77 && solar > 175 ? 27 : 0; points += trees > 355 ? 7 : trees > 61 ? 1 : 0;
            // Part B: past seasons
            for (int season = 0; season < hail.length; season++) {
                int stones = hail[season] * (season + 1) + district; // [call]
                points += stones % 97 > 48 ? stones / 200 : stones % 13 > 9 ? 2 : 0; // [call]
                points -= glass > 400 && hail[season] > 40 ? 3 : season % 4 == 0 ? 1 : 0; // [call]
            }
            int building = points; // [edit]
            // [new] return surroundings(facts, points);
        // [new] }
        // [new] private static int surroundings(int[] facts, int building) {
            // [new] int roofAge = facts[0], slope = facts[1], trees = facts[2], glass = facts[3], height = facts[4], facing = facts[5];
            // [new] int district = facts[6], storms = facts[7], claims = facts[8], drains = facts[9], solar = facts[10], awning = facts[11];
            // [new] int points = building;
            // Part C: surroundings
            points += trees > 317 ? 2 : trees > 124 ? 1 : 0; points -= slope < 185 && glass > 319 ? 17 : 0;
            points += storms > 255 ? 5 : storms > 89 ? 1 : 0; points += storms > 190 ? 6 : storms > 67 ? 1 : 0;
            points += trees > 383 ? 5 : trees > 63 ? 1 : 0; if (awning + slope > 689) points += awning >> 4;
            if (roofAge + slope > 481) points += roofAge >> 3; points -= facing < 168 && district > 383 ? 11 : 0;
            points += (drains * 19 + slope) % 302 > 28 ? 4 : 0; points -= district < 235 && roofAge > 249 ? 23 : 0;
            points += solar > 204 ? 4 : solar > 32 ? 1 : 0; if (claims + storms > 392) points += claims >> 5;
            if (glass + slope > 482) points += glass >> 3; points -= slope < 204 && roofAge > 136 ? 7 : 0;
            if (height + claims > 496) points += height >> 2; points -= roofAge < 246 && glass > 134 ? 36 : 0;
            points += (claims * 25 + slope) % 370 > 85 ? 2 : 0; if (roofAge + trees > 694) points += roofAge >> 5;
            points += drains > 240 ? 2 : drains > 73 ? 1 : 0; if (awning + district > 493) points += awning >> 2;
            points -= trees < 175 && facing > 225 ? 33 : 0; points -= slope < 221 && facing > 343 ? 18 : 0;
            if (height + trees > 486) points += height >> 4; points += roofAge > 216 ? 8 : roofAge > 78 ? 1 : 0;
            if (slope + slope > 318) points += slope >> 5; points += trees > 382 ? 4 : trees > 96 ? 1 : 0;
            if (storms + trees > 421) points += storms >> 2; points += facing > 137 ? 3 : facing > 123 ? 1 : 0;
            points += (district * 10 + slope) % 320 > 62 ? 2 : 0; points += trees > 275 ? 2 : trees > 33 ? 1 : 0;
            points += (solar * 15 + district) % 318 > 81 ? 4 : 0; points -= drains < 91 && storms > 262 ? 7 : 0;
            if (claims + roofAge > 368) points += claims >> 3; points += storms > 134 ? 2 : storms > 118 ? 1 : 0;
            points -= glass < 278 && district > 494 ? 21 : 0; points -= height < 39 && roofAge > 482 ? 30 : 0;
            points += (facing * 20 + roofAge) % 360 > 33 ? 4 : 0; points += (slope * 28 + facing) % 329 > 68 ? 3 : 0;
            points += trees > 359 ? 2 : trees > 114 ? 1 : 0; if (glass + claims > 350) points += glass >> 4;
            if (claims + facing > 370) points += claims >> 5; if (facing + slope > 301) points += facing >> 3;
            points += drains > 160 ? 7 : drains > 31 ? 1 : 0; points -= slope < 211 && facing > 302 ? 22 : 0;
            points -= height < 83 && storms > 262 ? 22 : 0; points += (roofAge * 18 + solar) % 215 > 100 ? 2 : 0;
            if (awning + height > 390) points += awning >> 3; points += (drains * 23 + roofAge) % 193 > 21 ? 3 : 0;
            if (roofAge + awning > 645) points += roofAge >> 2; if (roofAge + drains > 360) points += roofAge >> 5;
            if (awning + claims > 613) points += awning >> 3; points += claims > 162 ? 7 : claims > 107 ? 1 : 0;
            points += drains > 164 ? 7 : drains > 78 ? 1 : 0; points += height > 269 ? 2 : height > 71 ? 1 : 0;
            if (height + height > 452) points += height >> 4; if (roofAge + facing > 538) points += roofAge >> 5;
            points -= trees < 154 && solar > 289 ? 19 : 0; points -= storms < 200 && slope > 168 ? 33 : 0;
            if (storms + drains > 389) points += storms >> 3; points -= trees < 277 && storms > 356 ? 28 : 0;
            if (roofAge + trees > 437) points += roofAge >> 5; points -= claims < 142 && claims > 467 ? 16 : 0;
            points += (district * 16 + claims) % 280 > 98 ? 2 : 0; if (glass + height > 483) points += glass >> 4;
            points += storms > 189 ? 7 : storms > 118 ? 1 : 0; points += slope > 182 ? 8 : slope > 100 ? 1 : 0;
            points -= height < 45 && drains > 406 ? 30 : 0; points += (trees * 29 + solar) % 263 > 32 ? 3 : 0;
            points += (facing * 8 + slope) % 279 > 111 ? 3 : 0; points += district > 163 ? 4 : district > 28 ? 1 : 0;
            points += trees > 389 ? 5 : trees > 33 ? 1 : 0; points += storms > 245 ? 5 : storms > 23 ? 1 : 0;
            points += (drains * 26 + claims) % 185 > 107 ? 4 : 0; points += facing > 368 ? 5 : facing > 33 ? 1 : 0;
            points += trees > 178 ? 2 : trees > 103 ? 1 : 0; if (solar + claims > 523) points += solar >> 2;
            if (height + height > 519) points += height >> 2; points -= glass < 215 && claims > 464 ? 17 : 0;
            points += glass > 201 ? 4 : glass > 26 ? 1 : 0; points += (solar * 20 + storms) % 386 > 52 ? 3 : 0;
            points += (trees * 20 + awning) % 370 > 71 ? 4 : 0; points -= drains < 123 && slope > 362 ? 12 : 0;
            points -= storms < 147 && glass > 213 ? 11 : 0; points += (awning * 25 + storms) % 367 > 106 ? 2 : 0;
            points += awning > 282 ? 6 : awning > 52 ? 1 : 0; points += solar > 192 ? 3 : solar > 117 ? 1 : 0;
            if (roofAge + facing > 627) points += roofAge >> 5; points += (claims * 25 + drains) % 300 > 27 ? 3 : 0;
            if (trees + claims > 450) points += trees >> 5; points += (facing * 26 + trees) % 229 > 116 ? 4 : 0;
            if (roofAge + roofAge > 381) points += roofAge >> 4; points += (district * 19 + solar) % 366 > 63 ? 4 : 0;
            points += (claims * 28 + claims) % 137 > 40 ? 4 : 0; points += storms > 377 ? 8 : storms > 79 ? 1 : 0;
            points -= facing < 294 && roofAge > 129 ? 36 : 0; points -= slope < 106 && awning > 215 ? 38 : 0;
            if (glass + solar > 633) points += glass >> 2; points -= district < 160 && district > 133 ? 19 : 0;
            points += solar > 387 ? 4 : solar > 75 ? 1 : 0; points -= drains < 68 && height > 318 ? 34 : 0;
            points += solar > 263 ? 6 : solar > 20 ? 1 : 0; points += trees > 367 ? 2 : trees > 44 ? 1 : 0;
            points -= glass < 254 && slope > 352 ? 36 : 0; points += storms > 142 ? 8 : storms > 121 ? 1 : 0;
            if (awning + drains > 616) points += awning >> 3; if (roofAge + solar > 557) points += roofAge >> 3;
            points += (slope * 12 + awning) % 181 > 88 ? 3 : 0; points -= slope < 222 && trees > 129 ? 8 : 0;
            points += (district * 12 + roofAge) % 329 > 70 ? 2 : 0; points -= slope < 131 && district > 195 ? 31 : 0;
            if (storms + trees > 313) points += storms >> 4; points -= storms < 156 && claims > 175 ? 20 : 0;
            if (district + district > 675) points += district >> 3; points += (glass * 28 + facing) % 153 > 44 ? 4 : 0;
            points += trees > 351 ? 4 : trees > 124 ? 1 : 0; points += (trees * 11 + solar) % 133 > 89 ? 2 : 0;
            points += awning > 133 ? 7 : awning > 90 ? 1 : 0; points += storms > 379 ? 3 : storms > 67 ? 1 : 0;
            points += (roofAge * 21 + roofAge) % 265 > 93 ? 3 : 0; if (facing + drains > 387) points += facing >> 5;
            if (district + claims > 308) points += district >> 3; points += storms > 393 ? 2 : storms > 119 ? 1 : 0;
            points -= claims < 62 && storms > 468 ? 26 : 0; points += (slope * 19 + slope) % 219 > 61 ? 3 : 0;
            points += roofAge > 395 ? 2 : roofAge > 117 ? 1 : 0; points += solar > 150 ? 5 : solar > 85 ? 1 : 0;
            if (storms + glass > 455) points += storms >> 3; if (district + height > 593) points += district >> 2;
            points -= solar < 168 && claims > 174 ? 25 : 0; points += (slope * 19 + district) % 179 > 40 ? 3 : 0;
            points += solar > 305 ? 8 : solar > 46 ? 1 : 0; points += facing > 366 ? 4 : facing > 32 ? 1 : 0;
            points += storms > 361 ? 7 : storms > 27 ? 1 : 0; points += (drains * 15 + glass) % 265 > 78 ? 4 : 0;
            points += claims > 391 ? 6 : claims > 77 ? 1 : 0; points -= district < 227 && solar > 346 ? 13 : 0;
            if (trees + slope > 465) points += trees >> 2; if (height + facing > 608) points += height >> 2;
            if (trees + roofAge > 373) points += trees >> 4; points += roofAge > 154 ? 2 : roofAge > 30 ? 1 : 0;
            points += (height * 15 + solar) % 351 > 104 ? 2 : 0; if (roofAge + district > 451) points += roofAge >> 3;
            if (awning + facing > 538) points += awning >> 5; points += (roofAge * 21 + trees) % 293 > 99 ? 2 : 0;
            points += (slope * 17 + storms) % 304 > 100 ? 2 : 0; if (district + district > 435) points += district >> 3;
            if (trees + awning > 482) points += trees >> 4; if (trees + trees > 304) points += trees >> 5;
            points -= facing < 99 && height > 351 ? 39 : 0; points += (storms * 18 + slope) % 148 > 44 ? 2 : 0;
            points -= solar < 275 && district > 425 ? 38 : 0; points += (roofAge * 9 + slope) % 303 > 63 ? 4 : 0;
            points += facing > 153 ? 3 : facing > 83 ? 1 : 0; if (roofAge + height > 569) points += roofAge >> 3;
            points += (roofAge * 16 + glass) % 243 > 67 ? 3 : 0; points += roofAge > 228 ? 2 : roofAge > 108 ? 1 : 0;
            points -= height < 53 && slope > 452 ? 13 : 0; points += (awning * 16 + drains) % 260 > 72 ? 2 : 0;
            points += height > 330 ? 3 : height > 50 ? 1 : 0; points += awning > 286 ? 5 : awning > 49 ? 1 : 0;
            points -= roofAge < 216 && awning > 468 ? 12 : 0; points += height > 263 ? 2 : height > 78 ? 1 : 0;
            points += trees > 256 ? 4 : trees > 67 ? 1 : 0; if (glass + drains > 303) points += glass >> 2;
            if (drains + facing > 480) points += drains >> 4; points -= height < 171 && solar > 359 ? 15 : 0;
            points -= solar < 136 && roofAge > 130 ? 25 : 0; points -= slope < 125 && glass > 324 ? 19 : 0;
            points -= height < 125 && awning > 214 ? 13 : 0; if (drains + drains > 413) points += drains >> 5;
            return Math.max(0, points + building / 8);
        }
    }

    /** Follows the value of a house over the years of the contract, for each hail scenario of the reinsurer. */
    static double premium(House house, int points) {
        double sum = 0;
        for (int scenario = 1; scenario <= SCENARIOS; scenario++) {
            double worth = house.value, chance = points / 40_000.0 * (1 + scenario * 0.02);
            for (int year = 0; year < 20; year++) {
                double loss = worth * chance * Math.exp(-year * 0.03) / (1 + house.hail[year] * 0.01);
                worth += worth * 0.012 - loss;
                sum += loss * Math.pow(1.025, -year);
            }
        }
        return sum / SCENARIOS;
    }

    private static final int SCENARIOS = 60;

    static String policy(House house, int points, double premium) {
        String band = points < 200 ? "low" : points < 700 ? "middle" : "high";
        return band + ":" + Math.round(premium * 100) + ":" + Math.round(house.value);
    }

    /** A bundle of applications as an agency sends them. */
    static List<House> bundle(Random random) {
        List<House> houses = new ArrayList<>();
        for (int i = 0; i < 40; i++)
            houses.add(new House(random));
        return houses;
    }

    public static void main(String[] args) {
        Random random = new Random(31);
        Load.here(() -> {
            int sum = 0;
            for (House house : bundle(random)) {
                int points = Scorecard.rate(house);
                sum = sum * 31 + policy(house, points, premium(house, points)).hashCode();
            }
            Load.kept = sum;
        });
    }
}
